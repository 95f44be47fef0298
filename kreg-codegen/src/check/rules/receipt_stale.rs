//! A receipt holds for the text that was measured: another source or row needs another measurement.

use crate::check::Context;
use crate::digest;
use crate::finding::{Finding, Rule};
use crate::load::receipt::Receipt;
use crate::model::Row;

pub(super) static RULE: Rule = Rule {
    id: "receipt-stale",
    summary: "What a row's kernel uses, and the row, are as they were when the receipt was measured.",
    fix: "measure again (for kreg's own rows: cargo run --release --features cli -- parity {id}) and commit the new \
          {tolerance}",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let (rows, receipts): (Vec<&Row>, Vec<&Receipt>) = context.receipts().unzip();
    let sources = context.sources.map_or_else(|| vec![None; rows.len()], |sources| sources.digests(&rows));
    let mut stale = Vec::new();
    for ((row, receipt), source) in rows.into_iter().zip(receipts).zip(sources) {
        let set = &receipt.input_set;
        let changed = [
            ("input_set_hash", receipt.input_set_hash == digest::input_set(set)),
            ("source_sha256", source.is_none_or(|source| set.source_sha256 == source)),
            ("row_sha256", set.row_sha256 == digest::row(row)),
        ];
        let changed: Vec<_> = changed.iter().filter(|(_, same)| !same).map(|(name, _)| *name).collect();
        if !changed.is_empty() {
            stale.push((row, format!("changed since it was measured: {}", changed.join(", "))));
        }
    }
    if context.deny_stale {
        findings.extend(stale.into_iter().map(|(row, cause)| context.error(&RULE, row, cause)));
    } else if let Some((row, cause)) = stale.first() {
        // One warning: while a kernel is worked on, everything built on it is stale.
        let more = match stale.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more rows are stale"),
        };
        findings.push(context.warning(&RULE, row, format!("{cause}{more}")));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit, RECEIPT, World, expect};
    use super::*;
    use crate::finding::Severity;

    /// What gelu calls.
    const MATH: &str = "kreg-kernels/src/cpu/portable/math.rs";
    const SOURCE: &str = "[receipt-stale] registry.json:7 row cpu.gelu.f32: changed since it was measured: \
                          source_sha256; fix: measure again (for kreg's own rows: cargo run --release \
                          --features cli -- parity cpu.gelu.f32) and commit the new \
                          evidence/kreg/parity/cpu.gelu.f32.json";
    const GELU: &str = "kreg-kernels/src/cpu/portable/gelu.rs";

    #[test]
    fn each_part_is_named() {
        let row = |from, to| Edit::Row("cpu.gelu.f32", from, to);
        expect(
            &RULE,
            &[
                (
                    vec![Edit::File(GELU, "fn gelu", "fn  gelu")],
                    &["[receipt-stale] registry.json:7 row cpu.gelu.f32: changed since it was measured: \
                       source_sha256; fix: measure again (for kreg's own rows: \
                       cargo run --release --features cli -- parity cpu.gelu.f32) and commit the new \
                       evidence/kreg/parity/cpu.gelu.f32.json"],
                ),
                (
                    vec![row("EM-ELEM", "EM-RED")],
                    &["[receipt-stale] registry.json:7 row cpu.gelu.f32: changed since it was measured: \
                       row_sha256; fix: measure again (for kreg's own rows: \
                       cargo run --release --features cli -- parity cpu.gelu.f32) and commit the new \
                       evidence/kreg/parity/cpu.gelu.f32.json"],
                ),
                (
                    vec![Edit::File(RECEIPT, "rustc 1.95.0", "rustc 1.96.0")],
                    &["[receipt-stale] registry.json:7 row cpu.gelu.f32: changed since it was measured: \
                       input_set_hash; fix: measure again (for kreg's own rows: \
                       cargo run --release --features cli -- parity cpu.gelu.f32) and commit the new \
                       evidence/kreg/parity/cpu.gelu.f32.json"],
                ),
                (
                    vec![Edit::File(GELU, "fn gelu", "fn  gelu"), row("EM-ELEM", "EM-RED")],
                    &["[receipt-stale] registry.json:7 row cpu.gelu.f32: changed since it was measured: \
                       source_sha256, row_sha256; fix: measure again (for kreg's own rows: \
                       cargo run --release --features cli -- parity cpu.gelu.f32) and commit the new \
                       evidence/kreg/parity/cpu.gelu.f32.json"],
                ),
                (vec![Edit::File(MATH, "fn exp", "fn  exp")], &[SOURCE]),
                (vec![Edit::File(GELU, "\n", "\r\n")], &[]),
                (vec![row("\"source_fn\"", "\"labels\":[\"gelu\"],\"source_fn\"")], &[]),
            ],
        );
    }

    #[test]
    fn a_stale_receipt_stops_the_build_only_on_demand() {
        let mut world = World::new();
        world.apply(&[Edit::File(GELU, "fn gelu", "fn  gelu")]);
        let severity = |world: &World| world.findings(&RULE).iter().map(|f| f.severity).collect::<Vec<_>>();
        assert_eq!(severity(&world), [Severity::Warning]);
        world.deny_stale = true;
        assert_eq!(severity(&world), [Severity::Error]);
    }
}
