//! A weight type is GGML's, not the registry's, to define.

use crate::check::Context;
use crate::facts::{self, REMOVED};
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "ggml-facts",
    summary: "qtype, ggml_type and block_elems are those of one GGML (or private) type.",
    fix: "copy name, id and block size from kreg-codegen/src/facts.rs",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for row in context.rows() {
        let Some(weight) = &row.weight else { continue };
        let Some(fact) = facts::by_name(&weight.qtype) else {
            let removed = REMOVED.iter().any(|(_, name)| *name == weight.qtype);
            let why = if removed { "was removed from GGML" } else { "is no type that GGML or APR defines" };
            findings.push(context.error(&RULE, row, format!("qtype {:?} {why}", weight.qtype)));
            continue;
        };
        let pairs =
            [("ggml_type", weight.ggml_type, fact.id), ("block_elems", weight.block_elems, fact.block_elems)];
        for (field, got, expected) in pairs {
            if got != expected {
                let cause = format!("{field} is {got}, and that of {} is {expected}", fact.name);
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
    fn name_id_and_block_belong_together() {
        let id = "cpu.matvec.q4_1";
        expect(
            &RULE,
            &[
                (
                    vec![Row(id, "\"ggml_type\":3", "\"ggml_type\":2")],
                    &[
                        "[ggml-facts] registry.json:3 row cpu.matvec.q4_1: ggml_type is 2, and that of Q4_1 is \
                         3; fix: copy name, id and block size from kreg-codegen/src/facts.rs",
                    ],
                ),
                (
                    vec![Row(id, "\"block_elems\":32", "\"block_elems\":256")],
                    &[
                        "[ggml-facts] registry.json:3 row cpu.matvec.q4_1: block_elems is 256, and that of Q4_1 \
                         is 32; fix: copy name, id and block size from kreg-codegen/src/facts.rs",
                    ],
                ),
                (
                    vec![Row(id, "\"qtype\":\"Q4_1\"", "\"qtype\":\"Q4_2\"")],
                    &[
                        "[ggml-facts] registry.json:3 row cpu.matvec.q4_1: qtype \"Q4_2\" was removed from GGML; \
                         fix: copy name, id and block size from kreg-codegen/src/facts.rs",
                    ],
                ),
                (
                    vec![Row(id, "\"qtype\":\"Q4_1\"", "\"qtype\":\"Q4_9\"")],
                    &[
                        "[ggml-facts] registry.json:3 row cpu.matvec.q4_1: qtype \"Q4_9\" is no type that GGML \
                         or APR defines; fix: copy name, id and block size from kreg-codegen/src/facts.rs",
                    ],
                ),
            ],
        );
    }
}
