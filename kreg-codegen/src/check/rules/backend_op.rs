//! On the host a product takes any number of rows, on a device one; the op says which.

use crate::check::Context;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "backend-op",
    summary: "Products are `matvec` on the cpu and `gemv` on devices.",
    fix: "use the op named here, in the id as well",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for row in context.rows().filter(|row| row.weight.is_some()) {
        let expected = if row.backend == "cpu" { "matvec" } else { "gemv" };
        if row.op != expected {
            let cause = format!("op is {} on backend {}, where it is {expected}", row.op, row.backend);
            findings.push(context.error(&RULE, row, cause));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::Row, expect};
    use super::*;

    #[test]
    fn each_backend_has_its_product() {
        let id = "cpu.matvec.q4_1";
        expect(
            &RULE,
            &[
                (
                    vec![Row(id, "\"op\":\"matvec\"", "\"op\":\"gemv\"")],
                    &[
                        "[backend-op] registry.json:3 row cpu.matvec.q4_1: op is gemv on backend cpu, where it \
                         is matvec; fix: use the op named here, in the id as well",
                    ],
                ),
                (
                    vec![Row(id, "\"backend\":\"cpu\"", "\"backend\":\"metal\"")],
                    &[
                        "[backend-op] registry.json:3 row cpu.matvec.q4_1: op is matvec on backend metal, where \
                         it is gemv; fix: use the op named here, in the id as well",
                    ],
                ),
            ],
        );
    }
}
