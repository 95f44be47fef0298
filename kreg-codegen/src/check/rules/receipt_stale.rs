//! A receipt holds for the text that was measured: another source or row needs another measurement.

use crate::check::Context;
use crate::digest;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "receipt-stale",
    summary: "Source and row are as they were when the receipt was measured.",
    fix: "measure {id} again and commit the new {tolerance}",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (row, receipt) in context.receipts() {
        let set = &receipt.input_set;
        let source = context.sources.and_then(|s| s.file(&row.source_file));
        let source = source.map_or_else(|| set.source_sha256.clone(), |file| digest::source(&file.text));
        let changed = [
            ("input_set_hash", receipt.input_set_hash == digest::input_set(set)),
            ("source_sha256", set.source_sha256 == source),
            ("row_sha256", set.row_sha256 == digest::row(row)),
        ];
        let changed: Vec<_> = changed.iter().filter(|(_, same)| !same).map(|(name, _)| *name).collect();
        if changed.is_empty() {
            continue;
        }
        let cause = format!("changed since it was measured: {}", changed.join(", "));
        findings.push(if context.deny_stale {
            context.error(&RULE, row, cause)
        } else {
            context.warning(&RULE, row, cause)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit, RECEIPT, World, expect};
    use super::*;
    use crate::finding::Severity;

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
                       source_sha256; fix: measure cpu.gelu.f32 again and commit the new \
                       evidence/kreg/parity/cpu.gelu.f32.json"],
                ),
                (
                    vec![row("EM-ELEM", "EM-RED")],
                    &["[receipt-stale] registry.json:7 row cpu.gelu.f32: changed since it was measured: \
                       row_sha256; fix: measure cpu.gelu.f32 again and commit the new \
                       evidence/kreg/parity/cpu.gelu.f32.json"],
                ),
                (
                    vec![Edit::File(RECEIPT, "rustc 1.95.0", "rustc 1.96.0")],
                    &["[receipt-stale] registry.json:7 row cpu.gelu.f32: changed since it was measured: \
                       input_set_hash; fix: measure cpu.gelu.f32 again and commit the new \
                       evidence/kreg/parity/cpu.gelu.f32.json"],
                ),
                (
                    vec![Edit::File(GELU, "fn gelu", "fn  gelu"), row("EM-ELEM", "EM-RED")],
                    &["[receipt-stale] registry.json:7 row cpu.gelu.f32: changed since it was measured: \
                       source_sha256, row_sha256; fix: measure cpu.gelu.f32 again and commit the new \
                       evidence/kreg/parity/cpu.gelu.f32.json"],
                ),
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
