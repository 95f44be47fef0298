//! An exact target is served by rows whose activations stay in f32, so no other row can be chosen for its sake.

use crate::check::Context;
use crate::finding::{Finding, Rule};
use crate::vocabulary::EXACT;

pub(super) static RULE: Rule = Rule {
    id: "exact-precision",
    summary: "A row that requires `exact` has precision f32.",
    fix: "keep activations in f32 and say so, or do not require `exact`",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for row in context.rows().filter(|row| row.requires.contains(EXACT) && row.precision != "f32") {
        let cause = format!("precision is {}, which no exact target accepts", row.precision);
        findings.push(context.error(&RULE, row, cause));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::Row, expect};
    use super::*;

    #[test]
    fn precision_is_f32() {
        let exact = || Row("cpu.matvec.q4_1", "\"requires\":\"none\"", "\"requires\":\"exact\"");
        expect(
            &RULE,
            &[
                (
                    vec![exact(), Row("cpu.matvec.q4_1", "\"precision\":\"f32\"", "\"precision\":\"q8_0\"")],
                    &[
                        "[exact-precision] registry.json:3 row cpu.matvec.q4_1: precision is q8_0, which no exact \
                       target accepts; fix: keep activations in f32 and say so, or do not require `exact`",
                    ],
                ),
                (vec![exact()], &[]),
            ],
        );
    }
}
