//! `kreg`: measures registered rows.

mod args;
mod parity;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args::Command::Parity(args) = args::Args::parse().command;
    match parity::run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("kreg parity: {why}");
            ExitCode::FAILURE
        }
    }
}
