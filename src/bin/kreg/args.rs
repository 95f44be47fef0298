//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Tools for a registry of kernels.
#[derive(Parser)]
#[command(version, about)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Measures rows against independent oracles and writes their receipts
    Parity(Parity),
}

/// Measures rows against independent oracles. Without --check, writes evidence/kreg/parity/<id>.json for each row that
/// stays inside the bound of its error model.
#[derive(clap::Args)]
pub(crate) struct Parity {
    /// Ids of rows; `*` stands for any text. All rows that this machine can run when there is none
    pub(crate) rows: Vec<String>,
    /// Measure what is committed again, and write nothing
    #[arg(long, conflicts_with = "register")]
    pub(crate) check: bool,
    /// Set the tolerance of each measured row in registry.json to its receipt
    #[arg(long)]
    pub(crate) register: bool,
    /// Folder of registry.json
    #[arg(long, default_value = ".")]
    pub(crate) root: PathBuf,
}
