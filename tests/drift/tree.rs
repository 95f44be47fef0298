//! A copy of what the build reads, and ways to break it.

use std::path::{Path, PathBuf};

use kreg_codegen::digest;
use kreg_codegen::load;
use kreg_codegen::load::receipt::InputSet;
use kreg_codegen::load::sources::{SourceCrate, Sources};
use kreg_codegen::{Builder, Report};

/// One way to break the tree. What is replaced must be there.
pub(crate) enum Edit {
    /// In the row with this id, this text by that.
    Row(&'static str, &'static str, &'static str),
    /// Removes the row.
    Drop(&'static str),
    /// Adds a copy of the row, with these replacements.
    Copy(&'static str, &'static [(&'static str, &'static str)]),
    /// In a file, this text by that, once.
    File(&'static str, &'static str, &'static str),
    /// Adds a file.
    Add(&'static str, &'static str),
    /// Removes a file.
    Remove(&'static str),
    /// Measures the row: writes a receipt that agrees with everything so far.
    Measure(&'static str),
}

/// The registry, the contracts and the kernel sources, in a folder that goes away.
pub(crate) struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    /// The project's own, with no row measured: receipts are each case's to make.
    pub(crate) fn new() -> Self {
        let (root, folder) = (Path::new(env!("CARGO_MANIFEST_DIR")), tempfile::tempdir().unwrap());
        for part in ["registry.json", "contracts", "kreg-kernels/src"] {
            copy(&root.join(part), &folder.path().join(part));
        }
        let tree = Self { folder };
        let rows = tree.read("registry.json");
        let unmeasured = rows.lines().map(|line| match line.split_once("\"tolerance\": \"") {
            Some((head, tail)) => {
                format!("{head}\"tolerance\": \"unmeasured\"{}", tail.split_once('"').unwrap().1)
            }
            None => line.to_owned(),
        });
        tree.write("registry.json", &(unmeasured.collect::<Vec<_>>().join("\n") + "\n"));
        tree
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        std::fs::write(self.path(file), text).unwrap();
    }

    pub(crate) fn check(&self, deny_stale: bool) -> Report {
        let mut builder = Builder::new(self.path("registry.json"));
        builder.source_crate("kreg-kernels", self.path("kreg-kernels/src"), "::kreg_kernels");
        builder.module("kreg").deny_stale(deny_stale).check()
    }

    pub(crate) fn apply(&self, edit: &Edit) {
        match *edit {
            Edit::Row(id, from, to) => self.row(id, |row| replaced(row, from, to) + ",\n"),
            Edit::Drop(id) => self.row(id, |_| String::new()),
            Edit::Copy(id, edits) => self.row(id, |row| {
                let copy = edits.iter().fold(row.to_owned(), |row, (from, to)| replaced(&row, from, to));
                format!("{row},\n{copy},\n")
            }),
            Edit::File(file, from, to) => self.write(file, &replaced(&self.read(file), from, to)),
            Edit::Add(file, text) => self.write(file, text),
            Edit::Remove(file) => std::fs::remove_file(self.path(file)).unwrap(),
            Edit::Measure(id) => self.measure(id),
        }
    }

    /// Replaces the line of a row; commas are put right.
    fn row(&self, id: &str, edit: impl Fn(&str) -> String) {
        let text = self.read("registry.json");
        let start = format!("{{\"kernel_id\": \"{id}\",");
        assert!(text.contains(&start), "no row {id}");
        let lines = text.lines().map(|line| match line.starts_with(&start) {
            true => edit(line.trim_end_matches(',')),
            false => format!("{line}\n"),
        });
        let text = lines.collect::<String>().replace("},\n]", "}\n]").replace("}\n{", "},\n{");
        self.write("registry.json", &text);
    }

    fn measure(&self, id: &str) {
        let path = format!("evidence/kreg/parity/{id}.json");
        self.row(id, |row| replaced(row, "\"unmeasured\"", &format!("{path:?}")) + ",\n");
        let (registry, _) = load::registry("registry.json", &self.read("registry.json"));
        let row = registry.rows.iter().find(|row| row.id == id).unwrap();
        let kernels = SourceCrate {
            name: "kreg-kernels".into(),
            src: self.path("kreg-kernels/src"),
            path: "::kreg_kernels".into(),
        };
        let (sources, _) = Sources::read(&[kernels], &registry.rows);
        let set = InputSet {
            source_sha256: sources.digests(&[row])[0].clone().unwrap(),
            row_sha256: digest::row(row),
            toolchain: "rustc 1.95.0".into(),
            driver: "none".into(),
            device: "x86_64+avx2".into(),
            oracle: "f64_definition".into(),
        };
        let receipt = serde_json::json!({
            "schema": "kernel-parity-receipt/v1", "kernel_id": row.id, "source_fn": row.source_fn,
            "registry_precision": row.precision, "tolerance_rel": 2e-7,
            "input_set": {
                "source_sha256": set.source_sha256, "row_sha256": set.row_sha256, "toolchain": set.toolchain,
                "driver": set.driver, "device": set.device, "oracle": set.oracle,
            },
            "input_set_hash": digest::input_set(&set),
        });
        self.write(&path, &format!("{receipt:#}\n"));
    }
}

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from:?} is not there");
    text.replacen(from, to, 1)
}

/// Copies a file or a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        std::fs::copy(from, to).unwrap();
    }
}
