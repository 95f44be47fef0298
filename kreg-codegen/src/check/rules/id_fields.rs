//! An id repeats what the row's fields say, so that a trace can be read without the registry.

use super::id_grammar;
use crate::check::Context;
use crate::finding::{Finding, Rule};
use crate::model::Row;

pub(super) static RULE: Rule = Rule {
    id: "id-fields",
    summary: "An id is made of the row's backend, op, type or variant and precision, arch and features.",
    fix: "rename the row, or correct the field that is wrong",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for row in context.rows() {
        let expected = expected(row);
        let sound = |id| id_grammar::flaw(id).is_none();
        if row.id != expected && sound(&row.id) && sound(&expected) {
            findings.push(context.error(&RULE, row, format!("the fields of the row make the id {expected}")));
        }
    }
}

/// The id that the fields make; an op row's variant is free and taken from the id. Features of both kinds stand in the
/// last segment, in alphabetical order, in lower case and with `_` for `.`.
fn expected(row: &Row) -> String {
    let mut parts = vec![row.backend.clone(), row.op.clone()];
    match &row.weight {
        Some(weight) => parts.push(weight.qtype.to_ascii_lowercase()),
        None => {
            parts.extend(Some(row.variant().to_owned()).filter(|variant| !variant.is_empty()));
            parts.push(row.precision.clone());
        }
    }
    let features: Vec<_> = row.isa_features.union(&row.requires).map(|f| f.to_ascii_lowercase()).collect();
    if row.arch != "any" || !features.is_empty() {
        parts.push(row.arch.clone());
    }
    if !features.is_empty() {
        parts.push(features.join("+").replace('.', "_"));
    }
    parts.join(".")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::Row, expect};
    use super::*;

    #[test]
    fn each_field_counts() {
        let gelu = "cpu.gelu.f32";
        expect(
            &RULE,
            &[
                (
                    vec![Row(gelu, "\"op\":\"gelu\"", "\"op\":\"swiglu\"")],
                    &["[id-fields] registry.json:7 row cpu.gelu.f32: the fields of the row make the id \
                       cpu.swiglu.f32; fix: rename the row, or correct the field that is wrong"],
                ),
                (
                    vec![Row(gelu, "\"precision\":\"f32\"", "\"precision\":\"f16\"")],
                    &["[id-fields] registry.json:7 row cpu.gelu.f32: the fields of the row make the id \
                       cpu.gelu.f16; fix: rename the row, or correct the field that is wrong"],
                ),
                (
                    vec![Row(gelu, "\"arch\":\"any\"", "\"arch\":\"x86_64\"")],
                    &["[id-fields] registry.json:7 row cpu.gelu.f32: the fields of the row make the id \
                       cpu.gelu.f32.x86_64; fix: rename the row, or correct the field that is wrong"],
                ),
                (
                    vec![Row(gelu, "\"isa_features\":\"none\"", "\"isa_features\":\"sse4.1+avx\"")],
                    &["[id-fields] registry.json:7 row cpu.gelu.f32: the fields of the row make the id \
                       cpu.gelu.f32.any.avx+sse4_1; fix: rename the row, or correct the field that is wrong"],
                ),
                (
                    vec![Row(gelu, "\"requires\":\"none\"", "\"requires\":\"SHADER_F16\"")],
                    &["[id-fields] registry.json:7 row cpu.gelu.f32: the fields of the row make the id \
                       cpu.gelu.f32.any.shader_f16; fix: rename the row, or correct the field that is wrong"],
                ),
                (
                    vec![Row("cpu.matvec.q4_1", "\"qtype\":\"Q4_1\"", "\"qtype\":\"Q4_0\"")],
                    &["[id-fields] registry.json:3 row cpu.matvec.q4_1: the fields of the row make the id \
                       cpu.matvec.q4_0; fix: rename the row, or correct the field that is wrong"],
                ),
                (
                    vec![Row("cuda.rope.neox.f32", "\"backend\":\"cuda\"", "\"backend\":\"wgpu\"")],
                    &[
                        "[id-fields] registry.json:9 row cuda.rope.neox.f32: the fields of the row make the id \
                         wgpu.rope.f32; fix: rename the row, or correct the field that is wrong",
                    ],
                ),
            ],
        );
    }
}
