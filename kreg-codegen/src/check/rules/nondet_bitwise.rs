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
