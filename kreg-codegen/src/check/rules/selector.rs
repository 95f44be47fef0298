//! `selector` is the path that a user types; it is generated, so it can be checked.

use crate::check::Context;
use crate::finding::{Finding, Rule};
use crate::model::Row;

pub(super) static RULE: Rule = Rule {
    id: "selector",
    summary: "`selector` is the path of the generated function that reaches the row.",
    fix: "set the selector to the path named here",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(module) = context.module else { return };
    for row in context.rows() {
        let expected = expected(module, row);
        if row.selector != expected {
            let cause = format!("selector is {}, and the generated path is {expected}", row.selector);
            findings.push(context.error(&RULE, row, cause));
        }
    }
}

/// Products are methods of the bound weights; every op is a function named from its id.
fn expected(module: &str, row: &Row) -> String {
    let (backend, op) = (&row.backend, &row.op);
    match (&row.weight, row.variant()) {
        (Some(_), _) => format!("{module}::{backend}::Weights::{op}"),
        (None, "") => format!("{module}::{backend}::{op}"),
        (None, variant) => format!("{module}::{backend}::{op}::{variant}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::Row, expect};
    use super::*;

    #[test]
    fn the_path_follows_from_the_id() {
        expect(
            &RULE,
            &[
                (
                    vec![Row("cpu.gelu.f32", "kreg::cpu::gelu", "kreg::cpu::gelu_tanh")],
                    &[
                        "[selector] registry.json:7 row cpu.gelu.f32: selector is kreg::cpu::gelu_tanh, and the \
                         generated path is kreg::cpu::gelu; fix: set the selector to the path named here",
                    ],
                ),
                (
                    vec![Row("cpu.sample.topk.f32", "kreg::cpu::sample::topk", "kreg::cpu::topk")],
                    &[
                        "[selector] registry.json:8 row cpu.sample.topk.f32: selector is kreg::cpu::topk, and \
                         the generated path is kreg::cpu::sample::topk; fix: set the selector to the path named \
                         here",
                    ],
                ),
                (
                    vec![Row("cpu.matvec.q4_1", "kreg::cpu::Weights::matvec", "kreg::cpu::matvec")],
                    &[
                        "[selector] registry.json:3 row cpu.matvec.q4_1: selector is kreg::cpu::matvec, and the \
                         generated path is kreg::cpu::Weights::matvec; fix: set the selector to the path named \
                         here",
                    ],
                ),
            ],
        );
    }
}
