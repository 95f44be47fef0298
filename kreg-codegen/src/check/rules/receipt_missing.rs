//! A row that claims to be measured has a receipt that can be read.

use crate::check::Context;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "receipt-missing",
    summary: "The receipt that `tolerance` names exists and is a receipt.",
    fix: "measure {id} and commit {tolerance}, or set \"tolerance\": \"unmeasured\"",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(receipts) = context.receipts else { return };
    for row in context.rows() {
        let Some(path) = row.receipt() else { continue };
        let cause = match receipts.get(path) {
            Some(Ok(_)) => continue,
            Some(Err(reason)) => format!("{path} cannot be read: {reason}"),
            None => format!("{path} does not exist"),
        };
        findings.push(context.error(&RULE, row, cause));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit, RECEIPT, expect};
    use super::*;

    #[test]
    fn it_must_exist_and_be_a_receipt() {
        expect(
            &RULE,
            &[
                (
                    vec![Edit::Remove(RECEIPT)],
                    &["[receipt-missing] registry.json:7 row cpu.gelu.f32: \
                       evidence/kreg/parity/cpu.gelu.f32.json does not exist; fix: measure cpu.gelu.f32 and \
                       commit evidence/kreg/parity/cpu.gelu.f32.json, or set \"tolerance\": \"unmeasured\""],
                ),
                (
                    vec![Edit::File(RECEIPT, "receipt/v1", "receipt/v2")],
                    &["[receipt-missing] registry.json:7 row cpu.gelu.f32: \
                       evidence/kreg/parity/cpu.gelu.f32.json cannot be read: its schema is \
                       \"kernel-parity-receipt/v2\", not \"kernel-parity-receipt/v1\"; fix: measure \
                       cpu.gelu.f32 and commit evidence/kreg/parity/cpu.gelu.f32.json, or set \"tolerance\": \
                       \"unmeasured\""],
                ),
                (
                    vec![Edit::File(RECEIPT, "{", "[")],
                    &["[receipt-missing] registry.json:7 row cpu.gelu.f32: \
                       evidence/kreg/parity/cpu.gelu.f32.json cannot be read: expected `,` or `]` at line 1 \
                       column 10; fix: measure cpu.gelu.f32 and commit evidence/kreg/parity/cpu.gelu.f32.json, \
                       or set \"tolerance\": \"unmeasured\""],
                ),
                (
                    vec![Edit::File(RECEIPT, "\"oracle\"", "\"oracles\"")],
                    &["[receipt-missing] registry.json:7 row cpu.gelu.f32: \
                       evidence/kreg/parity/cpu.gelu.f32.json cannot be read: missing field `oracle` at line 3 \
                       column 274; fix: measure cpu.gelu.f32 and commit \
                       evidence/kreg/parity/cpu.gelu.f32.json, or set \"tolerance\": \"unmeasured\""],
                ),
                (
                    vec![Edit::File(RECEIPT, "2e-7", "-2e-7")],
                    &["[receipt-missing] registry.json:7 row cpu.gelu.f32: \
                       evidence/kreg/parity/cpu.gelu.f32.json cannot be read: its tolerance_rel is -0.0000002, \
                       not a positive number; fix: measure cpu.gelu.f32 and commit \
                       evidence/kreg/parity/cpu.gelu.f32.json, or set \"tolerance\": \"unmeasured\""],
                ),
            ],
        );
    }
}
