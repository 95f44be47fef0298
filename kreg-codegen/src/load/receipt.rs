//! `evidence/kreg/parity/*.json`: what was measured, on what, and how far it was off.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::Row;

/// Receipts by the path that `tolerance` names: the receipt, or why it cannot be read. A file that does not exist is
/// not in the map.
pub type Receipts = BTreeMap<String, Result<Receipt, String>>;

/// The schema that this crate reads.
pub const SCHEMA: &str = "kernel-parity-receipt/v1";

/// The parts of a receipt that can disagree with its row, and those that the docs show. What else a receipt records
/// (workload, margins in full) is for the program that measures it again.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Receipt {
    /// `kernel-parity-receipt/v1`.
    pub schema: String,
    /// The row that was measured.
    pub kernel_id: String,
    /// The function that was measured.
    pub source_fn: String,
    /// The row's precision when it was measured.
    pub registry_precision: String,
    /// Twice the measured error, rounded up to one digit.
    pub tolerance_rel: f64,
    /// What the measurement depended on.
    pub input_set: InputSet,
    /// [`digest::input_set`](crate::digest::input_set) of it.
    pub input_set_hash: String,
    /// What was measured.
    #[serde(default)]
    pub served: Option<Served>,
    /// How it stands to its bound.
    #[serde(default)]
    pub margin: Option<Margin>,
    /// The kind of oracle.
    #[serde(default)]
    pub oracle: Option<String>,
    /// When it was measured, `2026-09-29T04:11:19Z`.
    #[serde(default)]
    pub ts: Option<String>,
    /// The machine, in words.
    #[serde(default)]
    pub machine: Option<String>,
}

/// Errors of what the row serves.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Served {
    /// Largest error as a share of the largest exact output.
    pub max_rel_err: f64,
}

/// Errors against the bounds of the error model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Margin {
    /// Largest error over bound; at most 1.
    #[serde(default)]
    pub max_margin: Option<f64>,
    /// `pass`: a receipt is written for nothing else.
    #[serde(default)]
    pub verdict: Option<String>,
}

/// Everything that a measurement depended on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputSet {
    /// [`digest::source`](crate::digest::source) of the kernel's file.
    pub source_sha256: String,
    /// [`digest::row`](crate::digest::row) of the row.
    pub row_sha256: String,
    /// Compiler.
    pub toolchain: String,
    /// Driver, `none` on a cpu.
    pub driver: String,
    /// Architecture and features.
    pub device: String,
    /// What the result was held against.
    pub oracle: String,
}

/// Reads one receipt.
///
/// # Errors
/// What is wrong with the text, with its line and column.
pub fn parse(text: &str) -> Result<Receipt, String> {
    let receipt: Receipt = serde_json::from_str(text).map_err(|e| e.to_string())?;
    if [&receipt.oracle, &receipt.ts, &receipt.machine].into_iter().flatten().any(|text| !is_plain(text)) {
        return Err("its oracle, ts or machine is not a line of plain text".into());
    }
    if receipt.schema != SCHEMA {
        return Err(format!("its schema is {:?}, not {SCHEMA:?}", receipt.schema));
    }
    if !(receipt.tolerance_rel.is_finite() && receipt.tolerance_rel > 0.0) {
        return Err(format!("its tolerance_rel is {}, not a positive number", receipt.tolerance_rel));
    }
    figures(&receipt)?;
    Ok(receipt)
}

/// Whether what was measured is within what is promised.
fn figures(receipt: &Receipt) -> Result<(), String> {
    let (served, tolerance) = (receipt.served.as_ref(), receipt.tolerance_rel);
    if let Some(error) = served.map(|s| s.max_rel_err).filter(|error| !(0.0..=tolerance).contains(error)) {
        return Err(format!("it served an error of {error}, not from 0 to its tolerance_rel {tolerance}"));
    }
    let Some(margin) = &receipt.margin else { return Ok(()) };
    if let Some(share) = margin.max_margin.filter(|share| !(0.0..=1.0).contains(share)) {
        return Err(format!("its max_margin is {share}, not from 0 to 1"));
    }
    match margin.verdict.as_deref() {
        None | Some("pass") => Ok(()),
        Some(verdict) => Err(format!("its verdict is {verdict:?}, not \"pass\"")),
    }
}

/// Whether a text can stand in a cell of a table.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|b| b == b' ' || b.is_ascii_graphic() && !b"|`<>[]\\".contains(&b))
}

/// Reads the receipts that the rows name, from the folder that holds `evidence/`.
pub fn read(root: &Path, rows: &[Row]) -> Receipts {
    let read = |row: &Row| match std::fs::read_to_string(root.join(&row.tolerance)) {
        Err(e) if e.kind() == ErrorKind::NotFound => None,
        Err(e) => Some((row.tolerance.clone(), Err(e.to_string()))),
        Ok(text) => Some((row.tolerance.clone(), parse(&text))),
    };
    rows.iter().filter(|row| row.receipt().is_some()).filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A receipt with these figures.
    fn with(served: &str, margin: &str, verdict: &str) -> Result<Receipt, String> {
        let set = r#"{"source_sha256": "", "row_sha256": "", "toolchain": "", "driver": "", "device": "", "oracle": ""}"#;
        parse(&format!(
            r#"{{"schema": "{SCHEMA}", "kernel_id": "k", "source_fn": "f", "registry_precision": "f32", "tolerance_rel": 2e-7,
                "input_set": {set}, "input_set_hash": "", "served": {{"max_rel_err": {served}}},
                "margin": {{"max_margin": {margin}, "verdict": "{verdict}"}}}}"#
        ))
    }

    #[test]
    fn figures_keep_their_own_promise() {
        assert!(with("1e-7", "0.5", "pass").is_ok());
        assert!(with("2e-7", "1", "pass").is_ok());
        for (served, margin, verdict, says) in [
            ("3e-7", "0.5", "pass", "served an error of 0.0000003"),
            ("-1e-9", "0.5", "pass", "served an error of -"),
            ("1e-7", "1.5", "pass", "max_margin is 1.5"),
            ("1e-7", "0.5", "fail", "verdict is \"fail\""),
        ] {
            let said = with(served, margin, verdict).unwrap_err();
            assert!(said.contains(says), "{said}");
        }
    }
}
