//! An op row works on f32: there are no integer products to sum.

use crate::check::Context;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "op-accumulate",
    summary: "An op row does not accumulate in i32_f32.",
    fix: "set \"accumulate\": \"f32\"",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for row in context.rows() {
        if row.weight.is_none() && row.accumulate == "i32_f32" {
            findings.push(context.error(&RULE, row, "accumulate is i32_f32, which needs quantised weights"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::Row, expect};
    use super::*;

    #[test]
    fn only_op_rows_are_refused() {
        let edit = |id| vec![Row(id, "\"accumulate\":\"f32\"", "\"accumulate\":\"i32_f32\"")];
        expect(
            &RULE,
            &[
                (
                    edit("cpu.gelu.f32"),
                    &[
                        "[op-accumulate] registry.json:7 row cpu.gelu.f32: accumulate is i32_f32, which needs \
                         quantised weights; fix: set \"accumulate\": \"f32\"",
                    ],
                ),
                (edit("cpu.matvec.q4_1"), &[]),
            ],
        );
    }
}
