//! A row promises what its contract promises.

use crate::check::Context;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "contract-differs",
    summary: "The contract has the row's op, with the row's error model and determinism.",
    fix: "correct the row or {contract}: the definition of the op decides",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(contracts) = context.contracts else { return };
    for row in context.rows() {
        let Some(Ok(contract)) = contracts.get(&row.contract) else { continue };
        let Some(promise) = contract.ops.get(&row.op) else {
            let ops: Vec<_> = contract.ops.keys().map(String::as_str).collect();
            let cause =
                format!("{} says nothing of op {}; its ops: {}", row.contract, row.op, ops.join(", "));
            findings.push(context.error(&RULE, row, cause));
            continue;
        };
        let pairs = [
            ("error_model", &row.error_model, &promise.error_model),
            ("determinism", &row.determinism, &promise.determinism),
        ];
        for (field, got, promised) in pairs {
            if got != promised {
                let cause = format!("{field} is {got}, and {} promises {promised}", row.contract);
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
    fn op_error_model_and_determinism() {
        let gelu = "contracts/gelu-kernel-v1.yaml";
        expect(
            &RULE,
            &[
                (
                    vec![File(gelu, "  gelu:", "  swiglu:")],
                    &[
                        "[contract-differs] registry.json:7 row cpu.gelu.f32: contracts/gelu-kernel-v1.yaml says \
                         nothing of op gelu; its ops: swiglu; fix: correct the row or \
                         contracts/gelu-kernel-v1.yaml: the definition of the op decides",
                    ],
                ),
                (
                    vec![File(gelu, "EM-ELEM", "EM-DEQ")],
                    &["[contract-differs] registry.json:7 row cpu.gelu.f32: error_model is EM-ELEM, and \
                       contracts/gelu-kernel-v1.yaml promises EM-DEQ; fix: correct the row or \
                       contracts/gelu-kernel-v1.yaml: the definition of the op decides"],
                ),
                (
                    vec![Row("cpu.gelu.f32", "\"bounded\"", "\"bitwise\"")],
                    &["[contract-differs] registry.json:7 row cpu.gelu.f32: determinism is bitwise, and \
                       contracts/gelu-kernel-v1.yaml promises bounded; fix: correct the row or \
                       contracts/gelu-kernel-v1.yaml: the definition of the op decides"],
                ),
            ],
        );
    }
}
