//! The portable row is what every machine falls back to by name, and what forced-ISA tests compare with.

use std::collections::BTreeMap;

use crate::check::Context;
use crate::finding::{Finding, Rule};
use crate::model::Row;

pub(super) static RULE: Rule = Rule {
    id: "portable-missing",
    summary: "Every cell of the cpu has a row with arch `any`, isa_features `none` and requires `none`.",
    fix: "add the portable row, or remove the cell's other rows",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    if context.registry.unread > 0 {
        return;
    }
    let mut cells: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
    for row in context.rows().filter(|row| row.backend == "cpu") {
        cells.entry(row.cell()).or_default().push(row);
    }
    let portable = |row: &&Row| row.arch == "any" && row.isa_features.is_empty() && row.requires.is_empty();
    for ((backend, op, kind), rows) in cells {
        if !rows.iter().any(portable) {
            let cell =
                [backend, op, kind].iter().filter(|s| !s.is_empty()).copied().collect::<Vec<_>>().join(" ");
            let cause =
                format!("the cell {cell} has no portable row; it has {} for some machines", rows.len());
            findings.push(context.error(&RULE, rows[0], cause));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit, expect};
    use super::*;

    #[test]
    fn a_cell_needs_one() {
        expect(
            &RULE,
            &[
                (
                    vec![Edit::Drop("cpu.matvec.q4_1")],
                    &[
                        "[portable-missing] registry.json:4 row cpu.matvec.q4_1.x86_64.avx2+fma: the cell cpu \
                         matvec Q4_1 has no portable row; it has 1 for some machines; fix: add the portable row, \
                         or remove the cell's other rows",
                    ],
                ),
                (
                    vec![Edit::Row("cpu.gelu.f32", "\"requires\":\"none\"", "\"requires\":\"SUBGROUP\"")],
                    &[
                        "[portable-missing] registry.json:7 row cpu.gelu.f32: the cell cpu gelu has no portable \
                         row; it has 1 for some machines; fix: add the portable row, or remove the cell's other \
                         rows",
                    ],
                ),
                (vec![Edit::Drop("cpu.gelu.f32")], &[]),
                // The portable row may be the one that cannot be read.
                (vec![Edit::Row("cpu.matvec.q4_1", "\"op\":\"matvec\"", "\"op\":7")], &[]),
            ],
        );
    }
}
