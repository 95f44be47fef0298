//! Digests that tie a receipt to what was measured. Line endings do not count: texts are hashed with `\n`.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::load::receipt::InputSet;
use crate::model::Row;

/// SHA-256 of a text, lower-case hex, after `\r\n` became `\n`.
pub fn source(text: &str) -> String {
    let digest = Sha256::digest(text.replace("\r\n", "\n"));
    digest.iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// SHA-256 of the fields of a row that a measurement depends on: all but tolerance and labels, one `name=value` line
/// each, in the order of the schema.
pub fn row(row: &Row) -> String {
    let isa = row.isa();
    let requires = row.required();
    let archs = row.archs.as_ref().map_or_else(|| "*".to_owned(), |archs| archs.join(","));
    let number = |n: u32| n.to_string();
    let mut lines: Vec<(&str, String)> = vec![("kernel_id", row.id.clone()), ("op", row.op.clone())];
    if let Some(weight) = &row.weight {
        lines.push(("qtype", weight.qtype.clone()));
        lines.push(("ggml_type", number(weight.ggml_type)));
        lines.push(("layout", weight.layout.clone()));
    }
    lines.extend([("backend", row.backend.clone()), ("arch", row.arch.clone())]);
    if row.weight.is_none() {
        lines.push(("archs", archs));
    }
    lines.extend([("isa_features", isa), ("requires", requires)]);
    if let Some(weight) = &row.weight {
        lines.push(("block_elems", number(weight.block_elems)));
    }
    lines.extend([
        ("accumulate", row.accumulate.clone()),
        ("precision", row.precision.clone()),
        ("error_model", row.error_model.clone()),
        ("determinism", row.determinism.clone()),
        ("shape_class", row.shape_class.clone()),
        ("source_file", row.source_file.clone()),
        ("source_fn", row.source_fn.clone()),
        ("selector", row.selector.clone()),
        ("contract", row.contract.clone()),
    ]);
    source(&key(&lines))
}

/// SHA-256 over everything that a measurement depended on.
pub fn input_set(set: &InputSet) -> String {
    let lines = [
        ("source", set.source_sha256.clone()),
        ("row", set.row_sha256.clone()),
        ("toolchain", set.toolchain.clone()),
        ("driver", set.driver.clone()),
        ("device", set.device.clone()),
        ("oracle", set.oracle.clone()),
    ];
    source(&format!("kreg-input-set/v1\n{}", key(&lines)))
}

/// One `name=value` line for each field.
fn key(lines: &[(&str, String)]) -> String {
    lines.iter().map(|(name, value)| format!("{name}={value}\n")).collect()
}
