//! `models MODEL.gguf`: the example engine beside llama.cpp on the same file and threads, in turn, as `llama-bench -p 512
//! -n 128` measures: a prompt into an empty text, then tokens one at a time into an empty text.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use kreg_bench::llama::Llama;
use kreg_bench::{Error, machine, median};
use kreg_example_llama::{Model, Session};
use lexopt::prelude::*;

const HELP: &str = "\
models MODEL.gguf [--threads 1,2] [--rounds 5] [--out DIR]

Tokens per second of examples/llama and of llama.cpp: prompt of 512, generation of 128. Writes models.csv and models.txt
into DIR if it is given.
";
const PROMPT: usize = 512;
const GENERATED: usize = 128;
/// What issue 3 asks for on two threads.
const BOUNDS: [(&str, f64); 2] = [("prompt", 4.0), ("generation", 1.3)];

struct Args {
    model: PathBuf,
    threads: Vec<usize>,
    rounds: usize,
    out: Option<PathBuf>,
}

/// Tokens per second of both engines.
struct Line {
    threads: usize,
    test: &'static str,
    kreg: f64,
    llama: f64,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("models: {why}");
            ExitCode::FAILURE
        }
    }
}

fn args() -> Result<Option<Args>, Error> {
    let mut args = Args { model: PathBuf::new(), threads: vec![1, 2], rounds: 5, out: None };
    let mut parser = lexopt::Parser::from_env();
    while let Some(arg) = parser.next()? {
        match arg {
            Value(path) if args.model.as_os_str().is_empty() => args.model = path.into(),
            Long("threads") => {
                let list = parser.value()?.string()?;
                args.threads = list.split(',').map(|n| n.parse()).collect::<Result<_, _>>()?;
            }
            Long("rounds") => args.rounds = parser.value()?.parse::<usize>()?.max(1),
            Long("out") => args.out = Some(parser.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected().into()),
        }
    }
    if args.model.as_os_str().is_empty() { Err(HELP.into()) } else { Ok(Some(args)) }
}

fn run() -> Result<(), Error> {
    let Some(args) = args()? else {
        print!("{HELP}");
        return Ok(());
    };
    machine::built_for_this_cpu()?;
    let machine = machine::description();
    let mut lines = Vec::new();
    for &threads in &args.threads {
        lines.extend(measure(&args, threads)?);
    }
    let text = table(&lines);
    print!("{text}");
    if let Some(out) = &args.out {
        let row = |l: &Line| format!("{},{},{:.1},{:.1}\n", l.threads, l.test, l.kreg, l.llama);
        let rows: String = lines.iter().map(row).collect();
        fs::create_dir_all(out)?;
        fs::write(
            out.join("models.csv"),
            format!("threads,test,kreg_tokens_per_s,llama_cpp_tokens_per_s\n{rows}"),
        )?;
        fs::write(out.join("models.txt"), format!("{machine}\n{text}"))?;
    }
    Ok(())
}

/// Both tests on `threads` threads, the engines in turn; medians.
fn measure(args: &Args, threads: usize) -> Result<[Line; 2], Error> {
    let file = fs::File::open(&args.model)?;
    // SAFETY: the file is mapped read-only, and nobody truncates it while this runs.
    let bytes = unsafe { memmap2::Mmap::map(&file) }?;
    let file = gguf_file::File::parse(&bytes)?;
    let model = Model::load(&file, kreg::cpu::Device::host()?)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut llama = Llama::load(&args.model, PROMPT + GENERATED, threads)?;
    let vocab = u32::try_from(model.vocab())?;
    // Any tokens do, as long as both engines get the same.
    let tokens: Vec<u32> = (0..PROMPT as u32).map(|i| i.wrapping_mul(2_654_435_761) % vocab).collect();
    // One test feeds the prompt whole, the other single tokens.
    let tests = [("prompt", PROMPT, PROMPT), ("generation", GENERATED, 1)];
    let mut lines = Vec::new();
    for (test, count, chunk) in tests {
        let tokens = &tokens[..count];
        let (mut kreg, mut llama_cpp) = (Vec::new(), Vec::new());
        for _ in 0..=args.rounds {
            let mut session = Session::new(&model, count)?;
            let seconds = || {
                let start = Instant::now();
                let fed = tokens.chunks(chunk).try_for_each(|part| session.feed(part).map(drop));
                fed.map(|()| start.elapsed().as_secs_f64())
            };
            kreg.push(count as f64 / pool.install(seconds)?);
            llama.clear();
            let start = Instant::now();
            tokens.chunks(chunk).try_for_each(|part| llama.feed(part))?;
            llama_cpp.push(count as f64 / start.elapsed().as_secs_f64());
            llama.rest();
        }
        // The first round warms up.
        let (kreg, llama) = (median(&mut kreg[1..]), median(&mut llama_cpp[1..]));
        lines.push(Line { threads, test, kreg, llama });
    }
    lines.try_into().map_err(|_| "two tests".into())
}

/// The table, with the bounds where it states them.
fn table(lines: &[Line]) -> String {
    let mut out = format!(
        "{:8}{:12}{:>14}{:>14}{:>8}  bound\n",
        "threads", "test", "kreg tokens/s", "llama.cpp", "ratio"
    );
    for l in lines {
        let ratio = l.kreg / l.llama;
        let bound = BOUNDS.iter().find(|b| b.0 == l.test && l.threads == 2);
        let verdict = bound.map_or("-".into(), |(_, least)| {
            if ratio >= *least { "PASS".into() } else { format!("FAIL {ratio:.2} < {least}") }
        });
        out += &format!(
            "{:<8}{:12}{:>14.1}{:>14.1}{:>8.2}  {verdict}\n",
            l.threads, l.test, l.kreg, l.llama, ratio
        );
    }
    out
}
