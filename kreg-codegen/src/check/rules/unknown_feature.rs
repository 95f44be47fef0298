//! A feature that is never detected makes a row that is never chosen.

use crate::check::Context;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "unknown-feature",
    summary: "isa_features and requires are in the list of features that can be detected.",
    fix: "correct the name, or add it to FEATURE_NAMES and to the detection in kreg-kernels/src/target.rs",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(known) = context.sources.and_then(|sources| sources.features()) else { return };
    for row in context.rows() {
        for (field, names) in [("isa_features", &row.isa_features), ("requires", &row.requires)] {
            for name in names.difference(known) {
                let cause = format!("{field} names {name}, which nothing detects");
                findings.push(context.error(&RULE, row, cause));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::File, Edit::Row, expect};
    use super::*;

    #[test]
    fn both_fields_are_checked() {
        let id = "cuda.rope.neox.f32";
        expect(
            &RULE,
            &[
                (
                    vec![Row(id, "\"isa_features\":\"none\"", "\"isa_features\":\"mmx9\"")],
                    &["[unknown-feature] registry.json:9 row cuda.rope.neox.f32: isa_features names mmx9, \
                       which nothing detects; fix: correct the name, or add it to FEATURE_NAMES and to the \
                       detection in kreg-kernels/src/target.rs"],
                ),
                (
                    vec![Row(id, "\"requires\":\"none\"", "\"requires\":\"subgroup\"")],
                    &["[unknown-feature] registry.json:9 row cuda.rope.neox.f32: requires names subgroup, \
                       which nothing detects; fix: correct the name, or add it to FEATURE_NAMES and to the \
                       detection in kreg-kernels/src/target.rs"],
                ),
                (
                    vec![File("kreg-kernels/src/target.rs", "\"fma\",", "")],
                    &["[unknown-feature] registry.json:4 row cpu.matvec.q4_1.x86_64.avx2+fma: isa_features \
                       names fma, which nothing detects; fix: correct the name, or add it to FEATURE_NAMES and \
                       to the detection in kreg-kernels/src/target.rs"],
                ),
            ],
        );
    }
}
