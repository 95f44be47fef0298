//! The support matrix as Markdown tables, for crate docs: what each row is, and what was measured of it.

use std::fmt::Write;

use crate::load::receipt::{Receipt, Receipts};
use crate::plan::{Entry, Plan};

/// One line per row: what serves what, at which precision; then one line per row with what its receipt says.
pub fn markdown(plan: &Plan<'_>, receipts: Option<&Receipts>) -> String {
    let mut out = String::from(
        "| row | activations | accumulator | error model | repeats | rows of x |\n|---|---|---|---|---|---|\n",
    );
    for e in &plan.rows {
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} | {} |",
            e.row.id,
            e.precision.name,
            e.accumulate.name,
            e.error_model.name,
            e.determinism.name,
            e.shape_class.name,
        );
    }
    out.push_str(
        "\n| row | largest error | tolerance | of its bound | oracle | machine | date |\n|---|---|---|---|---|---|---|\n",
    );
    for e in &plan.rows {
        let receipt = receipts.and_then(|all| all.get(e.row.receipt()?)?.as_ref().ok());
        let _ = writeln!(out, "| `{}` | {} |", e.row.id, measured(e, receipt));
    }
    out
}

/// The cells behind a row's id.
fn measured(e: &Entry<'_>, receipt: Option<&Receipt>) -> String {
    let Some(r) = receipt else {
        // Without its receipt, a row says where that should be.
        return format!("{} | | | | |", e.row.tolerance);
    };
    let number = |n: Option<f64>| {
        n.map_or_else(String::new, |n| if n == 0.0 { "0".into() } else { format!("{n:.1e}") })
    };
    let text = |t: &Option<String>| t.clone().unwrap_or_default();
    let day = r.ts.as_deref().and_then(|ts| ts.split('T').next()).unwrap_or_default().to_owned();
    [
        number(r.served.as_ref().map(|s| s.max_rel_err)),
        format!("{:.0e}", r.tolerance_rel),
        number(r.margin.as_ref().and_then(|m| m.max_margin)),
        text(&r.oracle),
        text(&r.machine),
        day,
    ]
    .join(" | ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::load;

    #[test]
    fn a_measured_row_shows_its_receipt() {
        let registry = include_str!("../../fixtures/world/registry.json");
        let (registry, _) = load::registry("registry.json", registry);
        let plan = Plan::new(&registry).unwrap();
        let path = "evidence/kreg/parity/cpu.gelu.f32.json";
        let receipt = r#"{"schema":"kernel-parity-receipt/v1","kernel_id":"cpu.gelu.f32","source_fn":"gelu",
            "registry_precision":"f32","tolerance_rel":2e-7,"input_set":{"source_sha256":"","row_sha256":"",
            "toolchain":"","driver":"","device":"","oracle":""},"input_set_hash":"","served":{"max_rel_err":7.16e-8},
            "margin":{"max_margin":0.25},"oracle":"f64_definition","machine":"AMD EPYC","ts":"2026-11-30T22:00:00Z"}"#;
        let receipts = BTreeMap::from([(path.to_owned(), load::receipt::parse(receipt))]);
        let text = markdown(&plan, Some(&receipts));
        let line = "| `cpu.gelu.f32` | 7.2e-8 | 2e-7 | 2.5e-1 | f64_definition | AMD EPYC | 2026-11-30 |";
        assert!(text.contains(line), "{text}");
        assert!(text.contains("| `cpu.sample.topk.f32` | unmeasured | | | | | |"), "{text}");
        let broken = receipt.replace("AMD EPYC", "a | b");
        assert!(load::receipt::parse(&broken).is_err());
    }
}
