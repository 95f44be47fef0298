//! A label maps another tool's name to one row.

use std::collections::BTreeMap;

use crate::check::Context;
use crate::finding::{Finding, Rule};
use crate::load::fields::{all, word};

pub(super) static RULE: Rule = Rule {
    id: "labels",
    summary: "A label is `kernel` or `kernel@quant` and names one row of its backend.",
    fix: "correct the label, or leave it on the one row that the other tool means",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let mut owners = BTreeMap::new();
    for row in context.rows() {
        for label in &row.labels {
            let (kernel, quant) = label.split_once('@').map_or((label.as_str(), None), |(k, q)| (k, Some(q)));
            if !all(kernel, word) || quant.is_some_and(|quant| !all(quant, word)) {
                let cause =
                    format!("label {label:?} is neither `kernel` nor `kernel@quant` of a-z, 0-9 and `_`");
                findings.push(context.error(&RULE, row, cause));
            }
            if let Some(owner) = owners.insert((&row.backend, label), row) {
                let at = context.place(owner.line);
                let cause = format!("label {label:?} already names {} ({at})", owner.id);
                findings.push(context.error(&RULE, row, cause));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::Row, expect};
    use super::*;

    #[test]
    fn form_and_owner() {
        let label = |id, labels| Row(id, "\"source_fn\"", labels);
        let (gelu, rope) = ("cpu.gelu.f32", "cuda.rope.neox.f32");
        let (one, two) = ("\"labels\":[\"a@q4\"],\"source_fn\"", "\"labels\":[\"b\",\"b\"],\"source_fn\"");
        expect(
            &RULE,
            &[
                (
                    vec![label(gelu, "\"labels\":[\"A@q4\"],\"source_fn\"")],
                    &["[labels] registry.json:7 row cpu.gelu.f32: label \"A@q4\" is neither `kernel` nor \
                       `kernel@quant` of a-z, 0-9 and `_`; fix: correct the label, or leave it on the one row \
                       that the other tool means"],
                ),
                (
                    vec![label(gelu, "\"labels\":[\"a@\"],\"source_fn\"")],
                    &["[labels] registry.json:7 row cpu.gelu.f32: label \"a@\" is neither `kernel` nor \
                       `kernel@quant` of a-z, 0-9 and `_`; fix: correct the label, or leave it on the one row \
                       that the other tool means"],
                ),
                (
                    vec![label(gelu, one), label("cpu.matvec.q4_1", one)],
                    &[
                        "[labels] registry.json:7 row cpu.gelu.f32: label \"a@q4\" already names cpu.matvec.q4_1 \
                         (registry.json:3); fix: correct the label, or leave it on the one row that the other \
                         tool means",
                    ],
                ),
                (vec![label(gelu, one), label(rope, one)], &[]),
                (
                    vec![label(gelu, two)],
                    &["[labels] registry.json:7 row cpu.gelu.f32: label \"b\" already names cpu.gelu.f32 \
                       (registry.json:7); fix: correct the label, or leave it on the one row that the other \
                       tool means"],
                ),
            ],
        );
    }
}
