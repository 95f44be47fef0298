//! A small project in which everything agrees (`fixtures/world`), and ways to break it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::check::{self, Context};
use crate::digest;
use crate::finding::{Finding, Rule};
use crate::load;
use crate::load::contract::{self, Contracts};
use crate::load::receipt::{self, InputSet, Receipts};
use crate::load::sources::{SourceCrate, Sources};
use crate::model::Row;

/// The receipt of the world's one measured row.
pub(super) const RECEIPT: &str = "evidence/kreg/parity/cpu.gelu.f32.json";

/// One way to break the world. Texts to replace must be there; every occurrence is replaced.
pub(super) enum Edit {
    /// Replaces in the row with this id.
    Row(&'static str, &'static str, &'static str),
    /// Removes the row.
    Drop(&'static str),
    /// Repeats the row.
    Repeat(&'static str),
    /// Adds a copy of the row under another id, with a replacement.
    Copy(&'static str, &'static str, &'static str, &'static str),
    /// Replaces in a file.
    File(&'static str, &'static str, &'static str),
    /// Removes a file.
    Remove(&'static str),
    /// Adds a file.
    Add(&'static str, &'static str),
}

/// Files by path.
pub(super) struct World {
    files: BTreeMap<String, String>,
    pub(super) deny_stale: bool,
}

impl World {
    /// The unbroken world; the receipt is made here because it records digests of the rest.
    pub(super) fn new() -> Self {
        let mut files = BTreeMap::new();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/world");
        collect(&root, "", &mut files);
        let (registry, _) = load::registry("registry.json", &files["registry.json"]);
        let row = registry.rows.iter().find(|row| row.receipt() == Some(RECEIPT)).unwrap();
        let mut world = Self { files, deny_stale: false };
        let (sources, _) = world.sources(&registry.rows);
        let receipt = receipt_of(row, sources.digests(&[row])[0].clone().unwrap());
        world.files.insert(RECEIPT.into(), receipt);
        world
    }

    /// Breaks it.
    pub(super) fn apply(&mut self, edits: &[Edit]) {
        for edit in edits {
            match *edit {
                Edit::File(path, from, to) => {
                    let text = self.files.get_mut(path).unwrap();
                    *text = replaced(text, from, to);
                }
                Edit::Remove(path) => assert!(self.files.remove(path).is_some(), "{path}"),
                Edit::Add(path, text) => {
                    assert!(self.files.insert(path.into(), text.into()).is_none(), "{path}")
                }
                Edit::Row(id, from, to) => self.edit_row(id, |line| replaced(line, from, to)),
                Edit::Drop(id) => self.edit_row(id, |_| String::new()),
                Edit::Repeat(id) => self.edit_row(id, |line| format!("{line},\n{line}")),
                Edit::Copy(id, new, from, to) => self.edit_row(id, |line| {
                    format!("{line},\n{}", replaced(&replaced(line, id, new), from, to))
                }),
            }
        }
    }

    /// Replaces one row, without its comma, and puts the commas right.
    fn edit_row(&mut self, id: &str, edit: impl Fn(&str) -> String) {
        let text = self.files.get_mut("registry.json").unwrap();
        let start = format!("{{\"kernel_id\":\"{id}\",");
        assert!(text.contains(&start), "{id}");
        let lines = text.lines().map(|line| match line.starts_with(&start) {
            true => match (edit(line.trim_end_matches(',')), line.ends_with(',')) {
                (row, true) if !row.is_empty() => row + ",",
                (row, _) => row,
            },
            false => line.to_owned(),
        });
        *text = lines.collect::<Vec<_>>().join("\n").replace(",\n\n]", "\n\n]");
    }

    /// Everything that a check of the whole world reports under one rule.
    pub(super) fn findings(&self, rule: &Rule) -> Vec<Finding> {
        self.all().into_iter().filter(|finding| finding.rule == rule.id).collect()
    }

    fn sources(&self, rows: &[Row]) -> (Sources, Vec<Finding>) {
        let source =
            SourceCrate { name: "kreg-kernels".into(), src: "src".into(), path: "::kreg_kernels".into() };
        let below = |path: &String| path.strip_prefix("kreg-kernels/src/").map(str::to_owned);
        let files = self.files.iter().filter_map(|(path, text)| Some((below(path)?, text.clone())));
        Sources::parse(vec![(source, files.collect())], rows)
    }

    /// Everything that a check of the whole world reports.
    pub(super) fn all(&self) -> Vec<Finding> {
        let (registry, mut findings) = load::registry("registry.json", &self.files["registry.json"]);
        let (sources, more) = self.sources(&registry.rows);
        findings.extend(more);
        let under =
            |folder: &'static str| self.files.iter().filter(move |(path, _)| path.starts_with(folder));
        let contracts: Contracts =
            under("contracts/").map(|(path, text)| (path.clone(), contract::parse(text))).collect();
        let receipts: Receipts =
            under("evidence/").map(|(path, text)| (path.clone(), receipt::parse(text))).collect();
        findings.extend(check::run(&Context {
            sources: Some(&sources),
            contracts: Some(&contracts),
            receipts: Some(&receipts),
            module: Some("kreg"),
            deny_stale: self.deny_stale,
            ..Context::new(&registry)
        }));
        findings
    }
}

/// Breaks the world in each way and compares everything that the rule says.
pub(super) fn expect(rule: &Rule, cases: &[(Vec<Edit>, &[&str])]) {
    for (number, (edits, expected)) in cases.iter().enumerate() {
        let mut world = World::new();
        world.apply(edits);
        let found: Vec<_> = world.findings(rule).iter().map(ToString::to_string).collect();
        assert_eq!(found, *expected, "case {number}");
    }
}

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from:?} is not in {text:?}");
    text.replace(from, to)
}

fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else {
            files.insert(name, std::fs::read_to_string(entry.path()).unwrap());
        }
    }
}

fn receipt_of(row: &Row, source_sha256: String) -> String {
    let set = InputSet {
        source_sha256,
        row_sha256: digest::row(row),
        toolchain: "rustc 1.95.0".into(),
        driver: "none".into(),
        device: "x86_64+avx2".into(),
        oracle: "f64_definition:gelu".into(),
    };
    format!(
        "{{\"schema\":\"kernel-parity-receipt/v1\",\"kernel_id\":\"{}\",\"source_fn\":\"{}\",\n\
         \"registry_precision\":\"{}\",\"tolerance_rel\":2e-7,\n\"input_set\":{},\n\"input_set_hash\":\"{}\"}}\n",
        row.id,
        row.source_fn,
        row.precision,
        serde_json::to_string(&set).unwrap(),
        digest::input_set(&set)
    )
}

#[test]
fn in_the_world_everything_agrees() {
    assert_eq!(World::new().all(), []);
}
