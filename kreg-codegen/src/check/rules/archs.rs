//! `archs` narrows an op to model families.

use std::collections::BTreeSet;

use crate::check::Context;
use crate::finding::{Finding, Rule};
use crate::load::fields::{all, word};

pub(super) static RULE: Rule = Rule {
    id: "archs",
    summary: "`archs` stands on op rows only; its families are lower-case names, each once.",
    fix: "list each general.architecture once, or leave `archs` out: the row then serves every family",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for row in context.rows() {
        let Some(archs) = &row.archs else { continue };
        if row.weight.is_some() {
            let cause = "a kernel row serves every family that has its weight type, and this one has `archs`";
            findings.push(context.error(&RULE, row, cause));
        }
        let mut seen = BTreeSet::new();
        for family in archs {
            if !all(family, |b| word(b) || b == b'-' || b == b'.') {
                findings.push(context.error(
                    &RULE,
                    row,
                    format!("{family:?} in `archs` is not a lower-case name"),
                ));
            }
            if !seen.insert(family) {
                findings.push(context.error(&RULE, row, format!("{family:?} stands twice in `archs`")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::Row, expect};
    use super::*;

    #[test]
    fn place_form_and_repetition() {
        let archs = |id, archs| vec![Row(id, "\"source_fn\"", archs)];
        let gelu = "cpu.gelu.f32";
        expect(
            &RULE,
            &[
                (
                    archs("cpu.matvec.q4_1", "\"archs\":[\"qwen35\"],\"source_fn\""),
                    &[
                        "[archs] registry.json:3 row cpu.matvec.q4_1: a kernel row serves every family that has \
                         its weight type, and this one has `archs`; fix: list each general.architecture once, or \
                         leave `archs` out: the row then serves every family",
                    ],
                ),
                (
                    archs(gelu, "\"archs\":[\"qwen 35\"],\"source_fn\""),
                    &[
                        "[archs] registry.json:7 row cpu.gelu.f32: \"qwen 35\" in `archs` is not a lower-case \
                         name; fix: list each general.architecture once, or leave `archs` out: the row then \
                         serves every family",
                    ],
                ),
                (
                    archs(gelu, "\"archs\":[\"\"],\"source_fn\""),
                    &["[archs] registry.json:7 row cpu.gelu.f32: \"\" in `archs` is not a lower-case name; \
                       fix: list each general.architecture once, or leave `archs` out: the row then serves \
                       every family"],
                ),
                (
                    archs(gelu, "\"archs\":[\"llama\",\"llama\"],\"source_fn\""),
                    &[
                        "[archs] registry.json:7 row cpu.gelu.f32: \"llama\" stands twice in `archs`; fix: list \
                         each general.architecture once, or leave `archs` out: the row then serves every family",
                    ],
                ),
                (archs(gelu, "\"archs\":[\"gpt-oss\",\"llama\"],\"source_fn\""), &[]),
            ],
        );
    }
}
