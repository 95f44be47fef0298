//! `peers`: see [`kreg_bench::args::HELP`].

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use kreg_bench::args::{Args, HELP};
use kreg_bench::case::{Case, HEADER};
use kreg_bench::{Error, machine, measure, plot, table};

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(why) => {
            eprintln!("peers: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, Error> {
    let Some(args) = Args::from_env()? else {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    };
    machine::built_for_this_cpu()?;
    if args.child {
        measure::cases(&args, args.threads[0], |case| println!("{}", case.to_csv()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let machine = machine::description();
    let cases = match &args.report {
        Some(file) => read(file)?,
        None => measure_all(&args)?,
    };
    let (text, missed) = table::table(&cases);
    println!("{text}\nbounds missed: {missed}");
    if let (Some(out), None) = (&args.out, &args.report) {
        let lines: Vec<String> = cases.iter().map(Case::to_csv).collect();
        fs::create_dir_all(out)?;
        let file = |end: &str| out.join(format!("{}.{end}", args.name));
        fs::write(file("csv"), format!("{HEADER}\n{}\n", lines.join("\n")))?;
        fs::write(file("svg"), plot::svg(&cases))?;
        fs::write(file("txt"), format!("{machine}\n{text}\nbounds missed: {missed}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Measures each number of threads in a process of its own, for candle's sake; see `engine/candle.rs`.
fn measure_all(args: &Args) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for threads in &args.threads {
        let threads = threads.to_string();
        let mut child = Command::new(std::env::current_exe()?)
            .args(std::env::args_os().skip(1))
            .args(["--child", "--threads", &threads])
            .env("RAYON_NUM_THREADS", &threads)
            .stdout(Stdio::piped())
            .spawn()?;
        let lines = BufReader::new(child.stdout.take().ok_or("the measuring process has no output")?).lines();
        for line in lines {
            let case = Case::from_csv(&line?)?;
            eprintln!("{} {}x{} M={} on {threads}", case.qtype, case.rows, case.cols, case.m);
            cases.push(case);
        }
        if !child.wait()?.success() {
            return Err(format!("measuring on {threads} threads failed").into());
        }
    }
    Ok(cases)
}

/// The cases of an earlier run.
fn read(file: &Path) -> Result<Vec<Case>, Error> {
    let text = fs::read_to_string(file)?;
    text.lines().filter(|line| *line != HEADER).map(Case::from_csv).collect()
}
