//! Atomics in arbitrary order cannot repeat their bits.

use crate::check::Context;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "nondet-bitwise",
    summary: "A row with error model EM-NONDET is not `bitwise`.",
    fix: "set \"determinism\": \"bounded\", or name the error model of the deterministic kernel",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for row in context.rows() {
        if row.error_model == "EM-NONDET" && row.determinism == "bitwise" {
            findings.push(context.error(
                &RULE,
                row,
                "EM-NONDET does not repeat its bits, and determinism is bitwise",
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::Row, expect};
    use super::*;

    #[test]
    fn bounded_is_what_atomics_can_be() {
        let nondet = || Row("cpu.gelu.f32", "EM-ELEM", "EM-NONDET");
        expect(
            &RULE,
            &[
                (
                    vec![nondet(), Row("cpu.gelu.f32", "\"bounded\"", "\"bitwise\"")],
                    &[
                        "[nondet-bitwise] registry.json:7 row cpu.gelu.f32: EM-NONDET does not repeat its bits, \
                         and determinism is bitwise; fix: set \"determinism\": \"bounded\", or name the error \
                         model of the deterministic kernel",
                    ],
                ),
                (vec![nondet()], &[]),
            ],
        );
    }
}
