//! Order in the file decides nothing: for each target one row is the most specific.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::Context;
use crate::finding::{Finding, Rule};
use crate::model::Row;
use crate::vocabulary::EXACT;

pub(super) static RULE: Rule = Rule {
    id: "ambiguous",
    summary: "No target has two rows of a cell that are equally specific.",
    fix: "give one of the rows a named arch or another feature, or add a row with the features of both",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let mut cells: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
    for row in context.rows() {
        cells.entry(row.cell()).or_default().push(row);
    }
    for rows in cells.values() {
        let mut equals: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
        for row in rows {
            let before = equals.entry((row.arch.as_str(), specificity(row))).or_default();
            if let Some(other) = before.iter().find(|other| other.id != row.id && tie(other, row, rows)) {
                findings.push(context.error(&RULE, row, cause(context, other, row)));
            }
            before.push(row);
        }
    }
}

/// A named arch first, then the number of features.
fn specificity(row: &Row) -> (bool, usize) {
    (row.arch != "any", row.isa_features.len() + row.requires.len())
}

/// Whether two equally specific rows of one arch both win on some target, exact or not. If they do, they do on the
/// smallest target that has the features of both: more features only add rivals. `rows` is the whole cell.
fn tie(a: &Row, b: &Row, rows: &[&Row]) -> bool {
    [false, true].into_iter().any(|exact| {
        let has = |names: [&BTreeSet<String>; 2], f: &String| names.iter().any(|names| names.contains(f));
        let fits = |row: &Row| {
            row.isa_features.iter().all(|f| has([&a.isa_features, &b.isa_features], f))
                && row
                    .requires
                    .iter()
                    .all(|f| if f == EXACT { exact } else { has([&a.requires, &b.requires], f) })
                && (!exact || row.weight.is_none() || row.precision == "f32")
        };
        // Rows of another arch do not run there, and no row of any arch beats one of a named arch.
        let rival = |row: &&Row| row.arch == a.arch;
        let more = |row: &&Row| specificity(row) > specificity(a);
        fits(a) && fits(b) && !rows.iter().any(|row| rival(row) && fits(row) && more(row))
    })
}

fn cause(context: &Context<'_>, other: &Row, row: &Row) -> String {
    let mut features: Vec<&str> = Vec::new();
    for part in [&other.isa_features, &row.isa_features, &other.requires, &row.requires] {
        features
            .extend(part.iter().map(String::as_str).filter(|f| !features.contains(f)).collect::<Vec<_>>());
    }
    features.sort_unstable();
    let features = if features.is_empty() { "none".into() } else { features.join("+") };
    let (id, at) = (&other.id, context.place(other.line));
    format!("on a target {}/{features} it ties with {id} ({at})", row.arch)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit, expect};
    use super::*;

    /// A copy of the AVX2 row that needs other features.
    fn variant(id: &'static str, features: &'static str) -> Edit {
        Edit::Copy("cpu.matvec.q4_1.x86_64.avx2+fma", id, "\"isa_features\":\"avx2+fma\"", features)
    }

    #[test]
    fn equal_specificity_ties_unless_a_third_row_wins() {
        let bmi = || variant("cpu.matvec.q4_1.x86_64.avx2+bmi2", "\"isa_features\":\"avx2+bmi2\"");
        let both = || variant("cpu.matvec.q4_1.x86_64.avx2+bmi2+fma", "\"isa_features\":\"bmi2+fma+avx2\"");
        let more =
            || variant("cpu.matvec.q4_1.x86_64.avx2+avx512f+bmi2", "\"isa_features\":\"avx2+bmi2+avx512f\"");
        expect(
            &RULE,
            &[
                (
                    vec![bmi()],
                    &["[ambiguous] registry.json:5 row cpu.matvec.q4_1.x86_64.avx2+bmi2: on a target \
                       x86_64/avx2+bmi2+fma it ties with cpu.matvec.q4_1.x86_64.avx2+fma (registry.json:4); \
                       fix: give one of the rows a named arch or another feature, or add a row with the \
                       features of both"],
                ),
                (vec![bmi(), both()], &[]),
                (
                    vec![bmi(), more()],
                    &["[ambiguous] registry.json:6 row cpu.matvec.q4_1.x86_64.avx2+bmi2: on a target \
                       x86_64/avx2+bmi2+fma it ties with cpu.matvec.q4_1.x86_64.avx2+fma (registry.json:4); \
                       fix: give one of the rows a named arch or another feature, or add a row with the \
                       features of both"],
                ),
                (
                    vec![variant("cpu.matvec.q4_1.x86_64.fma+avx2", "\"isa_features\":\"fma+avx2\"")],
                    &["[ambiguous] registry.json:5 row cpu.matvec.q4_1.x86_64.fma+avx2: on a target \
                       x86_64/avx2+fma it ties with cpu.matvec.q4_1.x86_64.avx2+fma (registry.json:4); fix: \
                       give one of the rows a named arch or another feature, or add a row with the features of \
                       both"],
                ),
            ],
        );
    }

    /// Rows that quantise tie as others do: what they leave out is exact targets.
    #[test]
    fn rows_that_quantise_tie() {
        let avx2 = "cpu.matvec.q4_1.x86_64.avx2+fma";
        let quantises = Edit::Row(avx2, "\"precision\":\"f32\"", "\"precision\":\"q8_0\"");
        let bmi = variant("cpu.matvec.q4_1.x86_64.avx2+bmi2", "\"isa_features\":\"avx2+bmi2\"");
        expect(
            &RULE,
            &[(
                vec![quantises, bmi],
                &["[ambiguous] registry.json:5 row cpu.matvec.q4_1.x86_64.avx2+bmi2: on a target \
                   x86_64/avx2+bmi2+fma it ties with cpu.matvec.q4_1.x86_64.avx2+fma (registry.json:4); \
                   fix: give one of the rows a named arch or another feature, or add a row with the \
                   features of both"],
            )],
        );
    }

    #[test]
    fn an_exact_target_sees_f32_rows_only() {
        let q8 = Edit::Copy(
            "cpu.matvec.q4_1.x86_64.avx2+fma",
            "cpu.matvec.q4_1.x86_64.avx2+bmi2+fma",
            "\"isa_features\":\"avx2+fma\",\"requires\":\"none\",\"block_elems\":32,\"accumulate\":\"f32\",\"precision\":\"f32\"",
            "\"isa_features\":\"avx2+bmi2+fma\",\"requires\":\"none\",\"block_elems\":32,\"accumulate\":\"f32\",\"precision\":\"q8_0\"",
        );
        let bmi = variant("cpu.matvec.q4_1.x86_64.avx2+bmi2", "\"isa_features\":\"avx2+bmi2\"");
        expect(
            &RULE,
            &[(
                vec![bmi, q8],
                &["[ambiguous] registry.json:6 row cpu.matvec.q4_1.x86_64.avx2+bmi2: on a target \
                   x86_64/avx2+bmi2+fma it ties with cpu.matvec.q4_1.x86_64.avx2+fma (registry.json:4); \
                   fix: give one of the rows a named arch or another feature, or add a row with the \
                   features of both"],
            )],
        );
    }

    /// A row for exact targets meets no row that quantises, and ties with another of its kind.
    #[test]
    fn rows_that_require_exact_compete_on_exact_targets() {
        let exact = |id| {
            let fields = "\"isa_features\":\"none\",\"requires\":\"exact\"";
            Edit::Copy("cpu.matvec.q4_1", id, "\"isa_features\":\"none\",\"requires\":\"none\"", fields)
        };
        let other = |precision| {
            let fields = "\"isa_features\":\"bmi2\",\"requires\":\"none\"";
            let row = Edit::Copy(
                "cpu.matvec.q4_1",
                "cpu.matvec.q4_1.any.bmi2",
                "\"isa_features\":\"none\",\"requires\":\"none\"",
                fields,
            );
            [row, Edit::Row("cpu.matvec.q4_1.any.bmi2", "\"precision\":\"f32\"", precision)]
        };
        let [quantised, q8] = other("\"precision\":\"q8_0\"");
        let [float, f32] = other("\"precision\":\"f32\"");
        expect(
            &RULE,
            &[
                (vec![exact("cpu.matvec.q4_1.any.exact"), quantised, q8], &[]),
                (
                    vec![exact("cpu.matvec.q4_1.any.exact"), float, f32],
                    &[
                        "[ambiguous] registry.json:5 row cpu.matvec.q4_1.any.exact: on a target any/bmi2+exact it \
                       ties with cpu.matvec.q4_1.any.bmi2 (registry.json:4); fix: give one of the rows a named arch \
                       or another feature, or add a row with the features of both",
                    ],
                ),
            ],
        );
    }
}
