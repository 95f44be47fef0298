//! The command line.

use lexopt::prelude::*;
use std::str::FromStr;

use crate::error::Error;
use crate::sampler::Sampling;

/// What `--help` prints.
pub const HELP: &str = "\
llama MODEL.gguf [--prompt TEXT | --ids 1,2,3] [options]

Continues a prompt with a Llama-architecture model; every product and op runs through kreg.

  --prompt TEXT        text to continue (default: \"The capital of France is\")
  --ids 1,2,3          token ids to continue, instead of text
  -n N                 tokens to generate at most (default 64)
  --ignore-eos         go on after a token that ends the text
  --temperature T      divides the logits; 0 takes the largest (default 0)
  --top-k K            keep the K largest logits; 0 keeps all (default 0)
  --top-p P            keep the most probable tokens up to P (default 1)
  --seed S             seed of the generator (default 42)
  --repeat-penalty R   weakens tokens of the last 64; 1 is off (default 1)
  --exact              only kernels that keep activations in f32
  --threads N          threads of the pool (default: one per core)
  --plan               print which kernel serves each tensor and op, and stop
";

/// Where the prompt comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// Text for the tokenizer.
    Text(String),
    /// Token ids.
    Ids(Vec<u32>),
}

/// A parsed command line.
#[derive(Clone, Debug)]
pub struct Args {
    /// Path of the model.
    pub model: String,
    /// What to continue.
    pub prompt: Prompt,
    /// Most tokens to generate.
    pub n: usize,
    /// Whether to go on after a token that ends the text.
    pub ignore_eos: bool,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// Only kernels that keep activations in f32.
    pub exact: bool,
    /// Threads of the pool; 0 means one per core.
    pub threads: usize,
    /// Print the readiness plan and stop.
    pub plan: bool,
}

impl Args {
    /// Parses the process's arguments; `None` when help was asked for.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn from_env() -> Result<Option<Self>, Error> {
        Self::parse(lexopt::Parser::from_env()).map_err(|why| Error::Usage(format!("{why}\n\n{HELP}")))
    }

    fn parse(mut parser: lexopt::Parser) -> Result<Option<Self>, lexopt::Error> {
        let mut args = Self {
            model: String::new(),
            prompt: Prompt::Text("The capital of France is".into()),
            n: 64,
            ignore_eos: false,
            sampling: Sampling::default(),
            exact: false,
            threads: 0,
            plan: false,
        };
        while let Some(arg) = parser.next()? {
            let sampling = &mut args.sampling;
            match arg {
                Value(path) if args.model.is_empty() => args.model = path.string()?,
                Long("prompt") => args.prompt = Prompt::Text(parser.value()?.string()?),
                Long("ids") => args.prompt = Prompt::Ids(parser.value()?.parse_with(ids)?),
                Short('n') => args.n = parser.value()?.parse()?,
                Long("ignore-eos") => args.ignore_eos = true,
                Long("temperature") => sampling.temperature = parser.value()?.parse()?,
                Long("top-k") => sampling.top_k = parser.value()?.parse()?,
                Long("top-p") => sampling.top_p = parser.value()?.parse()?,
                Long("seed") => sampling.seed = parser.value()?.parse()?,
                Long("repeat-penalty") => sampling.repeat_penalty = parser.value()?.parse()?,
                Long("exact") => args.exact = true,
                Long("threads") => args.threads = parser.value()?.parse()?,
                Long("plan") => args.plan = true,
                Short('h') | Long("help") => return Ok(None),
                other => return Err(other.unexpected()),
            }
        }
        if args.model.is_empty() { Err("the path of a model is missing".into()) } else { Ok(Some(args)) }
    }
}

/// `1,2,3`.
fn ids(list: &str) -> Result<Vec<u32>, std::num::ParseIntError> {
    list.split(',').map(|id| u32::from_str(id.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Option<Args>, lexopt::Error> {
        Args::parse(lexopt::Parser::from_args(args))
    }

    #[test]
    fn every_option_is_read() {
        let line = "m.gguf --ids 1,2 -n 3 --ignore-eos --temperature 0.5 --top-k 4 --top-p 0.9 --seed 7 \
                    --repeat-penalty 1.1 --exact --threads 2 --plan";
        let args = parse(&line.split_whitespace().collect::<Vec<_>>()).unwrap().unwrap();
        assert_eq!((args.model.as_str(), &args.prompt, args.n), ("m.gguf", &Prompt::Ids(vec![1, 2]), 3));
        let sampling = Sampling {
            temperature: 0.5,
            top_k: 4,
            top_p: 0.9,
            seed: 7,
            repeat_penalty: 1.1,
            repeat_last_n: 64,
        };
        assert_eq!((args.sampling, args.threads), (sampling, 2));
        assert!(args.ignore_eos && args.exact && args.plan);
    }

    #[test]
    fn nonsense_is_refused() {
        for args in [&["m", "--ids", "1,x"][..], &["m", "n"], &["m", "-n", "-1"], &["m", "--tempo", "1"], &[]]
        {
            assert!(parse(args).is_err(), "{args:?}");
        }
        assert!(parse(&["--help"]).unwrap().is_none());
    }
}
