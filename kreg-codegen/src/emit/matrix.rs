//! The support matrix as a Markdown table, for crate docs.

use std::fmt::Write;

use crate::plan::Plan;

/// One line per row: what serves what, at which precision, and on whose word.
pub fn markdown(plan: &Plan<'_>) -> String {
    let mut out = String::from(
        "| row | activations | accumulator | error model | repeats | rows of x | receipt |\n|---|---|---|---|---|---|---|\n",
    );
    for e in &plan.rows {
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} | {} | {} |",
            e.row.id,
            e.precision.name,
            e.accumulate.name,
            e.error_model.name,
            e.determinism.name,
            e.shape_class.name,
            e.row.tolerance
        );
    }
    out
}
