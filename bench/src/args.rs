//! The command line of `peers`.

use std::path::PathBuf;
use std::str::FromStr;

use kreg::QType;
use lexopt::prelude::*;

use crate::Error;

/// What `--help` prints.
pub const HELP: &str = "\
peers [options]

Times kreg, ggml, candle and aprender-serve in turn on the same weights, and holds the ratios to the bounds of issue 3.

  --types q4_0,f16    weight types (default: all)
  --m 1,512           activation rows (default: 1,2,4,8,16,64,512)
  --threads 1,2       threads (default: 1,2)
  --shapes 4096x4096  rows x columns, or 1b, 8b: those of Llama 3.2 1B and 3.1 8B (default: 4096x4096)
  --rounds N          turns of each engine (default: 5)
  --seconds S         length of a turn (default: 0.2)
  --batches           candle for more than one activation row too
  --quick             short turns, nothing written unless --out is given
  --out DIR           where the CSV, the plot and the table go (default: ../evidence/bench)
  --name NAME         what they are called (default: peers)
  --report FILE.csv   measure nothing: print and judge what an earlier run wrote
";

/// Rows (outputs) and columns (inputs) of a weight matrix.
pub type Shape = (usize, usize);

/// The matrices of a layer: query and output, key and value, gate and up, down.
const LLAMA_1B: [Shape; 4] = [(2048, 2048), (512, 2048), (8192, 2048), (2048, 8192)];
const LLAMA_8B: [Shape; 4] = [(4096, 4096), (1024, 4096), (14336, 4096), (4096, 14336)];

/// A parsed command line.
pub struct Args {
    /// Weight types.
    pub types: Vec<QType>,
    /// Numbers of activation rows.
    pub m: Vec<usize>,
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// Shapes of the weights.
    pub shapes: Vec<Shape>,
    /// Turns of each engine.
    pub rounds: usize,
    /// Seconds of a turn, at least.
    pub seconds: f64,
    /// Whether candle multiplies more than one activation row.
    pub batches: bool,
    /// Where results go, if anywhere.
    pub out: Option<PathBuf>,
    /// The stem of the result files.
    pub name: String,
    /// Results to print instead of measuring.
    pub report: Option<PathBuf>,
    /// This process measures, for another that prints.
    pub child: bool,
}

impl Args {
    /// Parses the process's arguments; `None` when help was asked for.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn from_env() -> Result<Option<Self>, Error> {
        let mut parser = lexopt::Parser::from_env();
        let mut args = Self {
            types: QType::ALL.to_vec(),
            m: vec![1, 2, 4, 8, 16, 64, 512],
            threads: vec![1, 2],
            shapes: vec![(4096, 4096)],
            rounds: 0,
            seconds: 0.2,
            batches: false,
            out: None,
            name: "peers".into(),
            report: None,
            child: false,
        };
        let mut quick = false;
        while let Some(arg) = parser.next()? {
            match arg {
                Long("types") => args.types = list(&parser.value()?.string()?, qtype)?,
                Long("m") => args.m = list(&parser.value()?.string()?, number)?,
                Long("threads") => args.threads = list(&parser.value()?.string()?, number)?,
                Long("shapes") => args.shapes = list(&parser.value()?.string()?, shapes)?.concat(),
                Long("rounds") => args.rounds = number(&parser.value()?.string()?)?,
                Long("seconds") => args.seconds = parser.value()?.parse()?,
                Long("batches") => args.batches = true,
                Long("quick") => quick = true,
                Long("out") => args.out = Some(parser.value()?.into()),
                Long("name") => args.name = parser.value()?.string()?,
                Long("report") => args.report = Some(parser.value()?.into()),
                Long("child") => args.child = true,
                Short('h') | Long("help") => return Ok(None),
                other => return Err(other.unexpected().into()),
            }
        }
        if args.rounds == 0 {
            args.rounds = if quick { 3 } else { 5 };
        }
        if quick {
            args.seconds = args.seconds.min(0.05);
        }
        if args.out.is_none() && !quick {
            args.out = Some(concat!(env!("CARGO_MANIFEST_DIR"), "/../evidence/bench").into());
        }
        Ok(Some(args))
    }
}

/// The items of a list with commas.
fn list<T>(text: &str, item: impl Fn(&str) -> Result<T, Error>) -> Result<Vec<T>, Error> {
    text.split(',').map(|part| item(part.trim())).collect()
}

fn qtype(name: &str) -> Result<QType, Error> {
    let found = QType::ALL.iter().find(|q| q.name().eq_ignore_ascii_case(name));
    found.copied().ok_or_else(|| format!("no weight type is called {name}").into())
}

/// A number from one up.
fn number(text: &str) -> Result<usize, Error> {
    match usize::from_str(text)? {
        0 => Err("at least 1".into()),
        n => Ok(n),
    }
}

fn shapes(text: &str) -> Result<Vec<Shape>, Error> {
    match text {
        "1b" => Ok(LLAMA_1B.to_vec()),
        "8b" => Ok(LLAMA_8B.to_vec()),
        _ => {
            let (rows, cols) =
                text.split_once('x').ok_or_else(|| format!("{text}: not ROWSxCOLS, 1b or 8b"))?;
            Ok(vec![(number(rows)?, number(cols)?)])
        }
    }
}
