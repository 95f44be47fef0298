//! A trace, a receipt or a label means one row.

use std::collections::BTreeMap;

use crate::check::Context;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "duplicate-id",
    summary: "An id names one row, in `kernels` and `ops` together.",
    fix: "remove one of the rows, or name what tells them apart in arch or isa_features",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let mut first = BTreeMap::new();
    for row in context.rows() {
        if let Some(line) = first.insert(row.id.as_str(), row.line) {
            let at = context.place(line);
            findings.push(context.error(&RULE, row, format!("the row at {at} has the same id")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::Repeat, expect};
    use super::*;

    #[test]
    fn the_second_row_is_reported() {
        expect(
            &RULE,
            &[(
                vec![Repeat("cpu.gelu.f32")],
                &["[duplicate-id] registry.json:8 row cpu.gelu.f32: the row at registry.json:7 has the \
                   same id; fix: remove one of the rows, or name what tells them apart in arch or \
                   isa_features"],
            )],
        );
    }
}
