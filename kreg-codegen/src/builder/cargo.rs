//! The part that speaks to Cargo: directives out, files into `OUT_DIR`.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use super::{Builder, Generated, metadata_variable};

impl Builder {
    /// Generates, writes `$OUT_DIR/kreg.rs` and `$OUT_DIR/kreg.md` if they changed, and tells Cargo what to watch.
    ///
    /// Findings are printed as `cargo::error=` and `cargo::warning=` lines, all of one run together. After an error
    /// nothing is written, and Cargo fails the build when the script ends, without the dump of a script that exits with
    /// a failure of its own.
    pub fn compile(&self) {
        print!("{}", self.watched());
        match self.generate() {
            Ok(generated) => {
                print!("{}", generated.report.directives());
                self.write(&generated);
            }
            Err(report) => print!("{}", report.directives()),
        }
    }

    fn write(&self, generated: &Generated) {
        let Some(module) = self.out_path() else {
            println!(
                "cargo::error=kreg-codegen: OUT_DIR is not set; call compile() from a build script, or name out_dir()"
            );
            return;
        };
        let files = [(module.with_extension("md"), &generated.matrix), (module, &generated.module)];
        for (path, text) in files {
            if let Err(e) = write_if_changed(&path, text) {
                println!("cargo::error=kreg-codegen cannot write {}: {e}", path.display());
            }
        }
    }

    /// Where the module goes; `None` outside a build script, unless a folder was named.
    fn out_path(&self) -> Option<PathBuf> {
        let folder = self.out_dir.clone().or_else(|| std::env::var_os("OUT_DIR").map(PathBuf::from));
        Some(folder?.join(&self.out_file))
    }

    /// Every file, folder and variable whose change must run the build script again.
    fn watched(&self) -> String {
        let mut out = String::new();
        // A line break in a path would start a directive of its own.
        let one_line = |path: &PathBuf| !path.to_string_lossy().contains(char::is_control);
        for path in self.inputs().into_iter().filter(one_line) {
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
