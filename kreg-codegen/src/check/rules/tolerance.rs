//! A tolerance is measured: the row names the receipt, or says that there is none.

use crate::check::Context;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "tolerance",
    summary: "`tolerance` is `unmeasured` or the path of a receipt below `evidence/`, never a number.",
    fix: "set \"tolerance\": \"unmeasured\", or measure it and name \"evidence/kreg/parity/{id}.json\"",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for row in context.rows() {
        let typed = row.tolerance.parse::<f64>().is_ok();
        if typed {
            let cause = format!("tolerance is typed: {}", row.tolerance);
            findings.push(context.error(&RULE, row, cause));
        } else if row.tolerance != "unmeasured" && row.receipt().is_none() {
            let cause = format!("tolerance is {:?}, neither `unmeasured` nor evidence/….json", row.tolerance);
            findings.push(context.error(&RULE, row, cause));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::Row, expect};
    use super::*;

    #[test]
    fn numbers_and_other_paths_are_refused() {
        let set = |tolerance| vec![Row("cpu.sample.topk.f32", "\"tolerance\":\"unmeasured\"", tolerance)];
        expect(
            &RULE,
            &[
                (
                    set("\"tolerance\":1e-3"),
                    &[
                        "[tolerance] registry.json:8 row cpu.sample.topk.f32: tolerance is typed: 1e-3; fix: set \
                         \"tolerance\": \"unmeasured\", or measure it and name \
                         \"evidence/kreg/parity/cpu.sample.topk.f32.json\"",
                    ],
                ),
                (
                    set("\"tolerance\":\"1e-3\""),
                    &[
                        "[tolerance] registry.json:8 row cpu.sample.topk.f32: tolerance is typed: 1e-3; fix: set \
                         \"tolerance\": \"unmeasured\", or measure it and name \
                         \"evidence/kreg/parity/cpu.sample.topk.f32.json\"",
                    ],
                ),
                (
                    set("\"tolerance\":\"evidence/../a.json\""),
                    &["[tolerance] registry.json:8 row cpu.sample.topk.f32: tolerance is \
                       \"evidence/../a.json\", neither `unmeasured` nor evidence/….json; fix: set \
                       \"tolerance\": \"unmeasured\", or measure it and name \
                       \"evidence/kreg/parity/cpu.sample.topk.f32.json\""],
                ),
                (
                    set("\"tolerance\":\"\""),
                    &["[tolerance] registry.json:8 row cpu.sample.topk.f32: tolerance is \"\", neither \
                       `unmeasured` nor evidence/….json; fix: set \"tolerance\": \"unmeasured\", or measure it \
                       and name \"evidence/kreg/parity/cpu.sample.topk.f32.json\""],
                ),
            ],
        );
    }
}
