//! A receipt is about one row, and about that row as it is declared.

use crate::check::Context;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "receipt-differs",
    summary: "A row's receipt is evidence/kreg/parity/<id>.json and records the row's id, function and precision.",
    fix: "measure {id} and name its own receipt, evidence/kreg/parity/{id}.json",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (row, receipt) in context.receipts() {
        let path = format!("evidence/kreg/parity/{}.json", row.id);
        let pairs = [
            ("tolerance", &row.tolerance, "the row's receipt", &path),
            ("kernel_id", &row.id, "the receipt's", &receipt.kernel_id),
            ("source_fn", &row.source_fn, "the receipt's", &receipt.source_fn),
            ("precision", &row.precision, "the receipt's", &receipt.registry_precision),
        ];
        for (field, got, whose, expected) in pairs {
            if got != expected {
                let cause = format!("{field} is {got}, and {whose} is {expected}");
                findings.push(context.error(&RULE, row, cause));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::File, Edit::Row, RECEIPT, expect};
    use super::*;

    #[test]
    fn id_function_precision_and_path() {
        expect(
            &RULE,
            &[
                (
                    vec![File(RECEIPT, "\"kernel_id\":\"cpu.gelu.f32\"", "\"kernel_id\":\"cpu.swiglu.f32\"")],
                    &[
                        "[receipt-differs] registry.json:7 row cpu.gelu.f32: kernel_id is cpu.gelu.f32, and the \
                         receipt's is cpu.swiglu.f32; fix: measure cpu.gelu.f32 and name its own receipt, \
                         evidence/kreg/parity/cpu.gelu.f32.json",
                    ],
                ),
                (
                    vec![File(RECEIPT, "\"source_fn\":\"gelu\"", "\"source_fn\":\"erf\"")],
                    &["[receipt-differs] registry.json:7 row cpu.gelu.f32: source_fn is gelu, and the \
                       receipt's is erf; fix: measure cpu.gelu.f32 and name its own receipt, \
                       evidence/kreg/parity/cpu.gelu.f32.json"],
                ),
                (
                    vec![File(RECEIPT, "\"registry_precision\":\"f32\"", "\"registry_precision\":\"f16\"")],
                    &[
                        "[receipt-differs] registry.json:7 row cpu.gelu.f32: precision is f32, and the receipt's \
                         is f16; fix: measure cpu.gelu.f32 and name its own receipt, \
                         evidence/kreg/parity/cpu.gelu.f32.json",
                    ],
                ),
                (
                    vec![Row(
                        "cpu.sample.topk.f32",
                        "\"unmeasured\"",
                        "\"evidence/kreg/parity/cpu.gelu.f32.json\"",
                    )],
                    &[
                        "[receipt-differs] registry.json:8 row cpu.sample.topk.f32: kernel_id is \
                         cpu.sample.topk.f32, and the receipt's is cpu.gelu.f32; fix: measure \
                         cpu.sample.topk.f32 and name its own receipt, \
                         evidence/kreg/parity/cpu.sample.topk.f32.json",
                        "[receipt-differs] registry.json:8 row cpu.sample.topk.f32: source_fn is topk, and the \
                         receipt's is gelu; fix: measure cpu.sample.topk.f32 and name its own receipt, \
                         evidence/kreg/parity/cpu.sample.topk.f32.json",
                        "[receipt-differs] registry.json:8 row cpu.sample.topk.f32: tolerance is \
                         evidence/kreg/parity/cpu.gelu.f32.json, and the row's receipt is \
                         evidence/kreg/parity/cpu.sample.topk.f32.json; fix: measure cpu.sample.topk.f32 and \
                         name its own receipt, evidence/kreg/parity/cpu.sample.topk.f32.json",
                    ],
                ),
            ],
        );
    }
}
