//! `contracts/*.yaml`: what an op promises, whoever implements it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;

use crate::model::Row;
use crate::vocabulary::{KERNEL_OP, OP_OP};

/// Contracts by the path that rows cite (`contracts/rmsnorm-kernel-v1.yaml`): the contract, or why it cannot be read.
/// A file that does not exist is not in the map.
pub type Contracts = BTreeMap<String, Result<Contract, String>>;

/// One contract file. A key that is not named here makes it unreadable.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// Name: the file's stem.
    pub contract: String,
    /// What it is about, in one sentence.
    pub summary: String,
    /// Every op that cites it; none in a contract about the registry itself.
    #[serde(default)]
    pub ops: BTreeMap<String, Promise>,
    /// What always holds, one sentence each.
    #[serde(default)]
    pub invariants: Vec<String>,
    /// Tests that would fail if it were broken: `target::test`, or `package/target::test` outside the root package.
    #[serde(default)]
    pub checks: Vec<String>,
}

/// What a contract says of one op.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    /// Error model that rows of this op name.
    pub error_model: String,
    /// Determinism that rows of this op name.
    pub determinism: String,
    /// The definition.
    pub formula: String,
    /// Values for which the formula is meant.
    #[serde(default)]
    pub domain: Option<String>,
    /// Lengths of the arguments.
    pub shapes: String,
    /// Order of elements in memory.
    pub layout: String,
    /// Inputs that are refused or need a word, one sentence each.
    pub bad_input: Vec<String>,
    /// What holds of every result, one sentence each.
    #[serde(default)]
    pub invariants: Vec<String>,
    /// Anything else.
    #[serde(default)]
    pub notes: Option<String>,
}

/// Reads one contract.
///
/// # Errors
/// What is wrong with the text, and where.
pub fn parse(text: &str) -> Result<Contract, String> {
    let contract: Contract = serde_saphyr::from_str(text).map_err(|e| {
        let reason = e.without_snippet().to_string();
        reason.lines().next().unwrap_or("not a contract").to_owned()
    })?;
    let known = |op: &str| KERNEL_OP.get(op).is_some() || OP_OP.get(op).is_some();
    if let Some(op) = contract.ops.keys().find(|op| !known(op)) {
        return Err(format!("{op:?} under `ops` is no op"));
    }
    match contract.checks.iter().find(|check| !is_test(check)) {
        Some(check) => Err(format!("{check:?} under `checks` does not name a test as target::test")),
        None => Ok(contract),
    }
}

/// Whether a text has the form `[package/]target::test`.
fn is_test(check: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-:/".contains(c);
    check.split_once("::").is_some_and(|(target, test)| !target.is_empty() && !test.is_empty())
        && check.chars().all(plain)
}

/// Reads the contracts that the rows cite, from the folder that holds `contracts/`.
pub fn read(root: &Path, rows: &[Row]) -> Contracts {
    let cited: BTreeSet<&str> = rows.iter().map(|row| row.contract.as_str()).collect();
    let read = |path: &str| match std::fs::read_to_string(root.join(path)) {
        Err(e) if e.kind() == ErrorKind::NotFound => None,
        Err(e) => Some((path.to_owned(), Err(e.to_string()))),
        Ok(text) => Some((path.to_owned(), parse(&text))),
    };
    cited.into_iter().filter_map(read).collect()
}
