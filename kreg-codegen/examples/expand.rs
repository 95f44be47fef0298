//! Prints the module that a registry becomes: `cargo run -p kreg-codegen --example expand [registry.json]`.
//!
//! With `--tables` no kernel source is read, so it works on any registry. Without, the kernels are those of this
//! repository.

use std::path::PathBuf;
use std::process::ExitCode;

use kreg_codegen::Builder;

fn main() -> ExitCode {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let (flags, files): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let registry = files.first().map_or_else(|| root.join("registry.json"), PathBuf::from);
    let mut builder = Builder::new(registry);
    match flags.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => builder
            .source_crate("kreg-kernels", root.join("kreg-kernels/src"), "::kreg_kernels")
            .module("kreg"),
        ["--tables"] => builder.tables_only(),
        _ => {
            eprintln!("usage: expand [--tables] [registry.json]");
            return ExitCode::FAILURE;
        }
    };
    match builder.generate() {
        Ok(generated) => {
            print!("{}", generated.module);
            ExitCode::SUCCESS
        }
        Err(report) => {
            eprintln!("{report}");
            ExitCode::FAILURE
        }
    }
}
