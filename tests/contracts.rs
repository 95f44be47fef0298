//! Contracts cite tests. Each must exist as a compiled test that is not ignored; `.ci/run` also looks for each in the
//! output of the run (`scripts/checks-ran.sh`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use kreg::KernelId;
use kreg_codegen::load::contract::{self, Contract};

fn contracts() -> BTreeMap<String, Contract> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("contracts");
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let contract = contract::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        (format!("contracts/{}", path.file_name().unwrap().to_string_lossy()), contract)
    };
    std::fs::read_dir(folder).unwrap().map(|entry| read(entry.unwrap().path())).collect()
}

#[test]
fn every_contract_of_a_row_is_here_and_has_checks() {
    let contracts = contracts();
    for id in KernelId::ALL {
        assert!(contracts.contains_key(id.row().contract), "{id}: no {}", id.row().contract);
    }
    for (path, contract) in &contracts {
        assert_eq!(*path, format!("contracts/{}.yaml", contract.contract));
        assert!(!contract.checks.is_empty(), "{path} cites no test");
        assert!(
            !contract.invariants.is_empty() || contract.ops.values().any(|op| !op.invariants.is_empty()),
            "{path} has no invariants"
        );
    }
    assert!(contracts.contains_key("contracts/kernel-registry-v1.yaml"));
}

#[test]
fn every_check_is_a_test() {
    let contracts = contracts();
    let mut cited: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for check in contracts.values().flat_map(|c| &c.checks) {
        let (target, test) = check.split_once("::").unwrap();
        cited.entry(target).or_default().insert(test);
    }
    let mut missing = Vec::new();
    for (target, tests) in cited {
        let binaries = binaries_of(target);
        // Targets of two packages may have one name.
        let union = |more: &[&str]| binaries.iter().flat_map(|b| list(b, more)).collect::<BTreeSet<_>>();
        let (all, ignored) = (union(&[]), union(&["--ignored"]));
        // `cargo test --test contracts` builds no other target: then the source must do, but not in CI.
        let text = text_of(&source_of(target));
        let gone = |test: &&str| match all.contains(*test) {
            true => ignored.contains(*test),
            false => std::env::var("CI").is_ok() || !declares(&text, test),
        };
        missing.extend(tests.into_iter().filter(gone).map(|test| format!("{target}::{test}")));
    }
    assert!(missing.is_empty(), "contracts cite tests that do not exist or are ignored: {missing:#?}");
}

/// Whether a source has this test; module paths are not looked into.
fn declares(text: &str, test: &str) -> bool {
    let name = test.rsplit("::").next().unwrap();
    let at = text.find(&format!("fn {name}("));
    at.is_some_and(|at| {
        let before = &text[..at];
        let attributes = &before[before.trim_end().rfind("\n\n").unwrap_or(0)..];
        (attributes.contains("#[test]") || before.contains("proptest!")) && !attributes.contains("#[ignore")
    })
}

/// `tests/<target>.rs` of the root package, or of the package before the slash.
fn source_of(target: &str) -> PathBuf {
    let (package, target) = target.split_once('/').unwrap_or((".", target));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(package).join("tests");
    let flat = folder.join(format!("{target}.rs"));
    if flat.is_file() { flat } else { folder.join(target).join("main.rs") }
}

/// The text of a target: its file, or all files of its folder.
fn text_of(source: &Path) -> String {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    if source.file_name() != Some("main.rs".as_ref()) {
        return read(source);
    }
    let files =
        source.parent().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    files.map(|file| read(&file.path())).collect::<Vec<_>>().join("\n\n")
}

/// The binaries of a test target beside this one that are no older than the target's source.
fn binaries_of(target: &str) -> Vec<PathBuf> {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|m| m.modified()).ok();
    let (Some(source), Ok(here)) = (modified(&source_of(target)), std::env::current_exe()) else {
        return Vec::new();
    };
    let name = target.rsplit('/').next().unwrap();
    let is_target = |path: &PathBuf| {
        let stem = path.file_name().unwrap().to_string_lossy().into_owned();
        let stem = stem.strip_suffix(std::env::consts::EXE_SUFFIX).unwrap_or(&stem).to_owned();
        stem.rsplit_once('-')
            .is_some_and(|(n, hash)| n == name && hash.bytes().all(|b| b.is_ascii_alphanumeric()))
    };
    let entries = std::fs::read_dir(here.parent().unwrap()).unwrap().flatten().map(|entry| entry.path());
    entries.filter(is_target).filter(|path| modified(path).is_some_and(|time| time >= source)).collect()
}

/// The tests of a binary.
fn list(binary: &Path, more: &[&str]) -> BTreeSet<String> {
    let out = Command::new(binary).arg("--list").args(more).output();
    let out = out.unwrap_or_else(|e| panic!("{}: {e}", binary.display()));
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
}
