//! Cargo's own view: an engine with a registry of its own, what breaks it when the registry changes, the starting
//! document as a crate, and builds of a broken tree. All in one copy of the workspace, so that it is compiled once.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kreg_codegen::Builder;

/// A copy of the workspace with an engine and a crate of bare tables as members.
struct Workspace {
    root: PathBuf,
}

impl Workspace {
    fn new() -> Self {
        let (ours, root) =
            (Path::new(env!("CARGO_MANIFEST_DIR")), Path::new(env!("CARGO_TARGET_TMPDIR")).join("tree"));
        for entry in std::fs::read_dir(ours).unwrap() {
            let name = entry.unwrap().file_name();
            // Not the outputs of builds, nor what only people and git read.
            if !["target", ".git", "docs", "scripts", "tests"].iter().any(|n| name == *n) {
                sync(&ours.join(&name), &root.join(&name));
            }
        }
        let engine = ours.join("tests/downstream/engine");
        sync(&engine, &root.join("engine"));
        sync(&engine.join("manifest.toml"), &root.join("engine/Cargo.toml"));
        let this = Self { root };
        let tables = "[package]\nname = \"tables\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
                      [dependencies]\nkreg-kernels = { path = \"../kreg-kernels\" }\n";
        this.write("tables/Cargo.toml", tables);
        let manifest =
            this.read("Cargo.toml").replacen("members = [", "members = [\"engine\", \"tables\", ", 1);
        this.write("Cargo.toml", &without_tests(&manifest));
        this
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.root.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if std::fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            return;
        }
        std::fs::write(path, text).unwrap();
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(arguments).args(["--offline", "--quiet", "--color=never"]).current_dir(&self.root);
        cargo.env("CARGO_TARGET_DIR", self.root.with_file_name("tree-target")).env_remove("KREG_DENY_STALE");
        cargo.output().unwrap()
    }

    /// The engine's registry: rows of ours, under the engine's paths, and two of its own.
    fn engine_rows(&self, kreg: &[&str]) -> String {
        let ours = self.read("registry.json");
        let row = |id: &str| {
            let start = format!("{{\"kernel_id\": \"{id}\",");
            let line =
                ours.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no row {id}"));
            unmeasured(line.trim_end_matches(',')).replace("kreg::cpu", "engine::dispatch::cpu")
        };
        let own =
            row("cpu.matvec.q8_0").replace("kreg-kernels/src/cpu/portable/matvec", "engine/src/kernels");
        let device = own
            .replace("cpu.matvec", "metal.gemv")
            .replace("\"cpu\"", "\"metal\"")
            .replace("\"matvec\"", "\"gemv\"")
            .replace("cpu::Weights::matvec", "metal::Weights::gemv")
            .replace("m_any", "m1");
        let kernels: Vec<String> = kreg.iter().map(|id| row(id)).chain([own, device]).collect();
        format!(
            "{{\"schema\": \"apr-kernel-registry/v1\",\n\"kernels\": [\n{}\n],\n\"ops\": [\n{}\n]}}\n",
            kernels.join(",\n"),
            row("cpu.rmsnorm.f32")
        )
    }

    /// What Cargo prints of a build that a drift stops, line numbers as `_`.
    fn broken_build(&self, file: &str, from: &str, to: &str) -> String {
        let sound = self.read(file);
        assert!(sound.contains(from), "{from:?} is not in {file}");
        self.write(file, &sound.replacen(from, to, 1));
        let out = self.cargo(&["build", "-p", "kreg", "--lib"]);
        self.write(file, &sound);
        assert!(!out.status.success());
        String::from_utf8(out.stderr).unwrap().lines().map(|line| unnumbered(line) + "\n").collect()
    }
}

/// Copies what differs; equal files keep their times, so that Cargo does not compile them again.
fn sync(from: &Path, to: &Path) {
    if from.is_dir() {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            sync(&from.join(&name), &to.join(&name));
        }
        for entry in std::fs::read_dir(to).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && !from.join(path.file_name().unwrap()).exists() {
                std::fs::remove_file(path).unwrap();
            }
        }
    } else if std::fs::read(to).ok() != Some(std::fs::read(from).unwrap()) {
        std::fs::copy(from, to).unwrap();
    }
}

/// A manifest without its `[[test]]` tables, whose files stay behind.
fn without_tests(manifest: &str) -> String {
    let tables = manifest.split_inclusive("\n\n").filter(|table| !table.starts_with("[[test]]"));
    tables.collect()
}

fn unmeasured(row: &str) -> String {
    let (head, tail) = row.split_once("\"tolerance\": \"").unwrap();
    format!("{head}\"tolerance\": \"unmeasured\"{}", tail.split_once('"').unwrap().1)
}

/// `registry.json:12` and `gelu.rs:9` as `registry.json:_` and `gelu.rs:_`.
fn unnumbered(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = ["registry.json:", ".rs:"].iter().filter_map(|m| Some(rest.find(m)? + m.len())).min()
    {
        out = out + &rest[..at] + "_";
        rest = rest[at..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    out + rest
}

fn stdout(out: &Output) -> String {
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout.clone()).unwrap()
}

fn stderr(out: &Output) -> String {
    assert!(!out.status.success());
    String::from_utf8(out.stderr.clone()).unwrap()
}

// One test: the parts share the tree and its build.
#[test]
fn cargo_builds_what_agrees_and_stops_at_what_does_not() {
    let tree = Workspace::new();
    tree.write("tables/src/lib.rs", "");

    // An engine dispatches to its own kernels and to kreg's.
    tree.write("engine/registry.json", &tree.engine_rows(&["cpu.matvec.q4_k"]));
    assert_eq!(
        stdout(&tree.cargo(&["run", "-p", "engine"])),
        "KR-P03: this path was admitted for metal and cannot be bound on cpu; admit it for cpu\n4 and 8 bits\n"
    );

    // Its match breaks when a weight type goes, and when one comes.
    tree.write("engine/registry.json", &tree.engine_rows(&[]));
    let gone = stderr(&tree.cargo(&["check", "-p", "engine"]));
    assert!(gone.contains("named `Q4_K` found for enum `QType`"), "{gone}");
    tree.write("engine/registry.json", &tree.engine_rows(&["cpu.matvec.q4_k", "cpu.matvec.q6_k"]));
    let come = stderr(&tree.cargo(&["check", "-p", "engine"]));
    assert!(come.contains("non-exhaustive patterns: `QType::Q6_K` not covered"), "{come}");

    // The starting document's 80 rows are a crate, and it answers.
    let document = tree.root.join("fixtures/apr-kernel-registry-v1.json");
    let tables = Builder::new(document).tables_only().generate().unwrap().module;
    assert_eq!(tables.matches(" id: \"").count(), 80);
    tree.write("tables/src/lib.rs", &format!("//! 80 rows.\n#![deny(warnings, missing_docs)]\n{tables}"));
    tree.write("tables/src/main.rs", include_str!("tables/main.rs"));
    let answers = include_str!("tables/answers.txt").replace("\r\n", "\n");
    assert_eq!(stdout(&tree.cargo(&["run", "-p", "tables"])), answers);

    // A drift stops the build of kreg itself, and this is all that is printed. The warning is the row's receipt, which
    // the drift made stale.
    let gelu = "kreg-kernels/src/cpu/portable/gelu.rs";
    assert_eq!(
        tree.broken_build(gelu, "pub fn gelu(", "pub fn gelo("),
        "error: kreg@0.1.0: [function-missing] registry.json:_ row cpu.gelu.f32: \
         kreg-kernels/src/cpu/portable/gelu.rs has no fn gelu; its public functions: gelo; fix: declare `pub fn gelu` \
         in kreg-kernels/src/cpu/portable/gelu.rs and `pub mod` above it, or correct the row\n\
         error: kreg@0.1.0: found 1 error and 1 warning; nothing was written\n\
         error: build script logged errors\n"
    );
    assert_eq!(
        tree.broken_build(
            "registry.json",
            "\"qtype\": \"Q4_1\", \"ggml_type\": 3",
            "\"qtype\": \"Q4_1\", \"ggml_type\": 2"
        ),
        "error: kreg@0.1.0: [ggml-facts] registry.json:_ row cpu.matvec.q4_1: ggml_type is 2, and that of Q4_1 is 3; \
         fix: copy name, id and block size from kreg-codegen/src/facts.rs\n\
         error: kreg@0.1.0: found 1 error and 1 warning; nothing was written\n\
         error: build script logged errors\n"
    );
    assert_eq!(
        tree.broken_build("contracts/gelu-kernel-v1.yaml", "error_model: EM-ELEM", "error_model: EM-RED"),
        "error: kreg@0.1.0: [contract-differs] registry.json:_ row cpu.gelu.f32: error_model is EM-ELEM, and \
         contracts/gelu-kernel-v1.yaml promises EM-RED; fix: correct the row or contracts/gelu-kernel-v1.yaml: the \
         definition of the op decides\n\
         error: kreg@0.1.0: found 1 error; nothing was written\n\
         error: build script logged errors\n"
    );
}
