//! `--check`: what is committed, measured again.

use kreg::cpu::Device;
use kreg_codegen::digest;
use kreg_codegen::load::receipt::{self, InputSet};
use kreg_codegen::model::Row;
use serde_json::Value;

use super::measure;
use super::project::Project;
use super::receipt::input_set;

/// The heads of the columns.
pub(crate) const HEAD: &str = "row: old error, new error, tolerance, share of its bound";

/// Measures a row again and holds it to its receipt. The line to print, as an error when the receipt does not hold.
pub(crate) fn again(project: &Project, row: &Row, device: &Device) -> Result<String, String> {
    let fail = |why: String| format!("{}: DOES NOT HOLD: {why}", row.id);
    let path = super::receipt::path(&row.id);
    let text = std::fs::read_to_string(project.root.join(&path)).map_err(|e| fail(format!("{path}: {e}")))?;
    let committed = receipt::parse(&text).map_err(|e| fail(format!("{path}: {e}")))?;
    let document: Value = serde_json::from_str(&text).map_err(|e| fail(e.to_string()))?;
    let measured = measure::row(project, row, device).map_err(&fail)?;

    let (old, new) =
        (document["served"]["max_rel_err"].as_f64().unwrap_or(f64::NAN), measured.served.max_rel());
    let line =
        format!("{old:.3e}, {new:.3e}, {:.0e}, {:.3e}", committed.tolerance_rel, measured.verdict.max().0);
    let mut broken = Vec::new();
    let now = input_set(project, row, &measured).map_err(&fail)?;
    let stale = stale(&committed.input_set, &committed.input_set_hash, &now);
    if !stale.is_empty() {
        broken.push(format!("changed since it was measured: {}", stale.join(", ")));
    }
    if row.tolerance != path || committed.kernel_id != row.id || committed.registry_precision != row.precision
    {
        broken.push("the receipt is not this row's, or of another precision".into());
    }
    if new > committed.tolerance_rel || old.is_nan() {
        broken.push("the error is over the tolerance".into());
    }
    let quantised = &document["quantized_activation_oracle"];
    let own = measured.verdict.max_rel();
    if measured.coarse && quantised["tolerance_rel"].as_f64().is_none_or(|tolerance| own > tolerance) {
        broken.push(format!("against quantised activations the error is {own:.3e}, over its tolerance"));
    }
    if broken.is_empty() {
        Ok(format!("{}: {line}", row.id))
    } else {
        Err(fail(format!("{}; {line}", broken.join("; "))))
    }
}

/// What of a receipt is not as it is now. Another compiler or machine does not make a receipt stale: the numbers that it
/// gives are what is being checked.
fn stale(old: &InputSet, hash: &str, now: &InputSet) -> Vec<&'static str> {
    let parts = [
        ("input_set_hash", hash == digest::input_set(old)),
        ("source_sha256", old.source_sha256 == now.source_sha256),
        ("row_sha256", old.row_sha256 == now.row_sha256),
        ("driver", old.driver == now.driver),
        ("oracle", old.oracle == now.oracle),
    ];
    parts.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect()
}
