//! `llama MODEL.gguf`: see [`kreg_example_llama::args::HELP`].

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use gguf_file::File;
use kreg::cpu::Device;
use kreg::{KernelId, Target, Trace};
use kreg_example_llama::args::{Args, HELP, Prompt};
use kreg_example_llama::{Error, Model, Sampler, Session, Stats, Tokenizer, generate, readiness};

fn main() -> ExitCode {
    let run = Args::from_env().and_then(|args| match args {
        Some(args) => run(&args),
        None => printed(write!(io::stdout(), "{HELP}")),
    });
    match run {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("llama: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Error> {
    let io = |source| Error::Io { path: args.model.clone(), source };
    let file = fs::File::open(&args.model).map_err(io)?;
    // SAFETY: the file is mapped read-only; as every program that maps a file does, this one relies on nobody
    // truncating it while it runs.
    let bytes = unsafe { memmap2::Mmap::map(&file) }.map_err(io)?;
    let file = File::parse(&bytes)?;
    let target = Target::host()?;
    let device = Device::new(if args.exact { target.exact() } else { target })?;
    if args.plan {
        return print_plan(&file, &device);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build();
    let pool = pool.map_err(|why| Error::Usage(format!("--threads {}: {why}", args.threads)))?;
    pool.install(|| continue_prompt(args, &file, device))
}

/// Loads the model, and prints the prompt and what follows it as it comes.
fn continue_prompt(args: &Args, file: &File<'_>, device: Device) -> Result<(), Error> {
    let model = Model::load(file, device)?;
    let tokenizer = Tokenizer::from_gguf(file);
    let prompt = match &args.prompt {
        Prompt::Text(text) => {
            tokenizer.as_ref().map_err(|why| Error::Tokenizer(why.to_string()))?.encode(text)?
        }
        Prompt::Ids(ids) => ids.clone(),
    };
    let mut session = Session::new(&model, prompt.len() + args.n)?;
    let mut sampler = Sampler::new(args.sampling, device);
    let stats = match &tokenizer {
        Ok(tokenizer) => {
            let mut text = tokenizer.stream();
            printed(write!(io::stdout(), "{}", tokenizer.decode(&prompt)?))?;
            generate(&mut session, &mut sampler, &prompt, args.n, |token| {
                printed(write!(io::stdout(), "{}", text(token)?.unwrap_or_default()))?;
                Ok(args.ignore_eos || !tokenizer.is_end(token))
            })?
        }
        // Ids need no vocabulary.
        Err(why) => {
            eprintln!("ids only, since the file's text cannot be read: {why}");
            generate(&mut session, &mut sampler, &prompt, args.n, |token| {
                printed(write!(io::stdout(), "{token} "))?;
                Ok(true)
            })?
        }
    };
    let mut trace = *session.trace();
    trace.extend(sampler.trace().iter());
    report(&stats, &trace)
}

/// Speed, and what ran.
fn report(stats: &Stats, trace: &Trace) -> Result<(), Error> {
    let line =
        |(n, time): (usize, Duration)| format!("{n} tokens, {:.1} tokens/s", n as f64 / time.as_secs_f64());
    let ran: Vec<&str> = trace.iter().map(KernelId::as_str).collect();
    let unregistered = kreg::unregistered_dispatches(ran.iter().copied());
    let mut out = format!("\n\nprompt:    {}\ngenerated: {}\n", line(stats.prompt), line(stats.generated));
    out += &format!("kernels that ran:\n  {}\n", ran.join("\n  "));
    out += &format!(
        "not registered: {}\n",
        if unregistered.is_empty() { "none".into() } else { unregistered.join(", ") }
    );
    printed(io::stderr().write_all(out.as_bytes()))
}

/// The readiness plan: how many tensors each kernel serves, the ops, and every refusal.
fn print_plan(file: &File<'_>, device: &Device) -> Result<(), Error> {
    let plan = readiness(file, device);
    let mut tensors = BTreeMap::<&str, usize>::new();
    plan.tensors.iter().for_each(|served| *tensors.entry(served.kernel.as_str()).or_default() += 1);
    let mut out = String::from("tensors:\n");
    tensors.iter().for_each(|(kernel, n)| out += &format!("  {n:5} by {kernel}\n"));
    out += "ops of the model's family:\n";
    plan.ops.iter().for_each(|kernel| out += &format!("  {}\n", kernel.as_str()));
    printed(io::stdout().write_all(out.as_bytes()))?;
    if plan.is_ready() { Ok(()) } else { Err(Error::NotReady(plan.refused)) }
}

/// Flushes, so that text appears as it comes; output that cannot be written is an error.
fn printed(result: io::Result<()>) -> Result<(), Error> {
    result.and_then(|()| io::stdout().flush()).map_err(|source| Error::Io { path: "output".into(), source })
}
