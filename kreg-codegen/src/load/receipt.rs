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

/// The parts of a receipt that can disagree with its row. What else a receipt records (workload, machine, margins) is
/// for the test that measures it again.
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
    if receipt.schema != SCHEMA {
        return Err(format!("its schema is {:?}, not {SCHEMA:?}", receipt.schema));
    }
    if !(receipt.tolerance_rel.is_finite() && receipt.tolerance_rel > 0.0) {
        return Err(format!("its tolerance_rel is {}, not a positive number", receipt.tolerance_rel));
    }
    Ok(receipt)
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
