//! The part that speaks to Cargo: directives out, files into `OUT_DIR`.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::{Builder, metadata_variable};

impl Builder {
    /// Generates, writes `$OUT_DIR/kreg.rs` and `$OUT_DIR/kreg.md` if they changed, and tells Cargo what to watch.
    ///
    /// Findings are printed as `cargo::error=` and `cargo::warning=` lines, all of one run together. On an error
    /// nothing is written and the result is a failure: hand it back from the build script's `main`.
    #[must_use = "return it from `main`, or a failed check does not fail the build script"]
    pub fn compile(&self) -> ExitCode {
        print!("{}", self.watched());
        match self.generate() {
            Ok(generated) => {
                print!("{}", generated.report.directives());
                let path = self.out_path();
                let written = write_if_changed(&path, &generated.module)
                    .and_then(|()| write_if_changed(&path.with_extension("md"), &generated.matrix));
                match written {
                    Ok(()) => ExitCode::SUCCESS,
                    Err(e) => {
                        println!("cargo::error=kreg-codegen cannot write {}: {e}", path.display());
                        ExitCode::FAILURE
                    }
                }
            }
            Err(report) => {
                print!("{}", report.directives());
                ExitCode::FAILURE
            }
        }
    }

    fn out_path(&self) -> PathBuf {
        let folder = self.out_dir.clone().or_else(|| std::env::var_os("OUT_DIR").map(PathBuf::from));
        folder.unwrap_or_default().join(&self.out_file)
    }

    /// Every file, folder and variable whose change must run the build script again.
    fn watched(&self) -> String {
        let mut out = String::new();
        for path in self.inputs() {
            let _ = writeln!(out, "cargo::rerun-if-changed={}", path.display());
        }
        let _ = writeln!(out, "cargo::rerun-if-env-changed=KREG_DENY_STALE");
        for name in &self.metadata {
            let _ = writeln!(out, "cargo::rerun-if-env-changed={}", metadata_variable(name));
        }
        out
    }
}

/// Leaves an equal file alone, with its time stamp: what depends on it is not built again.
fn write_if_changed(path: &Path, text: &str) -> io::Result<()> {
    if std::fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    std::fs::write(path, text)
}
