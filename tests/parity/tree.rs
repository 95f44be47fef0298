//! A copy of the project in a folder that goes away, and the program on it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Registry, sources and oracles in a folder that goes away.
pub(crate) struct Tree(tempfile::TempDir);

impl Tree {
    pub(crate) fn new() -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for part in ["registry.json", "kreg-kernels/src", "evidence/kreg/oracle"] {
            copy(&root.join(part), &tree.path(part));
        }
        tree
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
    }

    pub(crate) fn replace(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "{file} has no {from:?}");
        std::fs::write(self.path(file), text.replacen(from, to, 1)).unwrap();
    }

    /// The program on this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kreg"));
        command.arg("parity").args(arguments).arg("--root").arg(self.0.path()).env_remove("CI");
        command
    }

    /// Runs the program: whether it succeeded, and what it printed.
    pub(crate) fn parity(&self, arguments: &[&str]) -> (bool, String) {
        let out = self.command(arguments).output().unwrap();
        let text =
            [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        (out.status.success(), text)
    }

    /// The row of the registry, edited.
    pub(crate) fn row(&self, id: &str, from: &str, to: &str) {
        let row = self.read("registry.json");
        let row = row.lines().find(|line| line.contains(&format!("\"{id}\""))).unwrap();
        assert!(row.contains(from), "{id} has no {from:?}");
        self.replace("registry.json", row, &row.replacen(from, to, 1));
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from, to).unwrap();
    }
}

#[track_caller]
pub(crate) fn assert_says((good, text): (bool, String), expected: bool, parts: &[&str]) {
    assert_eq!(good, expected, "{text}");
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
}
