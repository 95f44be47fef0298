//! One signature per op, so that a selector can call whichever kernel it chose.

use crate::check::{Context, signatures};
use crate::finding::{Finding, Rule};
use crate::model::Row;

pub(super) static RULE: Rule = Rule {
    id: "signature",
    summary: "A kernel has the signature of its op, and its weight marker is the row's qtype; a dispatch calls ops with a \
              settled signature only.",
    fix: "give `pub fn {fn}` in {file} the signature named here",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(sources) = context.sources else { return };
    for row in context.rows() {
        let Some(op) = signatures::of_row(row) else {
            if signatures::dispatched(&row.backend) {
                findings.push(context.error(&UNSETTLED, row, unsettled(row)));
            }
            continue;
        };
        let Some(kernel) = sources.kernel(row) else { continue };
        let qtype = row.weight.as_ref().map_or("", |weight| weight.qtype.as_str());
        let expected = op.text.replace("<F>", &format!("<{qtype}>"));
        let got = signatures::text(kernel);
        if got != expected {
            let (file, line) = (&row.source_file, kernel.line);
            let cause = format!(
                "fn {} ({file}:{line}) is not what its op calls\n  has  {got}\n  op   {expected}",
                row.source_fn
            );
            findings.push(context.error(&RULE, row, cause));
        }
    }
}

/// The same rule about an op that no dispatch can call.
static UNSETTLED: Rule = Rule { fix: "use one of those, or leave the row out", ..RULE };

fn unsettled(row: &Row) -> String {
    let known = signatures::all().filter(|s| s.backend == row.backend);
    let known: Vec<String> = known.map(|s| [s.op, s.variant].join(" ").trim_end().to_owned()).collect();
    let (op, variant) = (&row.op, row.variant());
    format!(
        "the {} dispatch has no signature for {}; it has {}",
        row.backend,
        format!("{op} {variant}").trim_end(),
        known.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::File, expect};
    use super::*;

    #[test]
    fn names_order_types_marker_and_result_count() {
        let gelu = "kreg-kernels/src/cpu/portable/gelu.rs";
        let topk = "kreg-kernels/src/cpu/portable/sample/topk.rs";
        expect(
            &RULE,
            &[
                (
                    vec![File(gelu, "x: &mut [f32]", "x: &mut [f64]")],
                    &["[signature] registry.json:7 row cpu.gelu.f32: fn gelu \
                       (kreg-kernels/src/cpu/portable/gelu.rs:2) is not what its op calls; fix: give `pub fn \
                       gelu` in kreg-kernels/src/cpu/portable/gelu.rs the signature named here\n  has  (x: \
                       &mut [f64])\n  op   (x: &mut [f32])"],
                ),
                (
                    vec![File(gelu, "x: &mut [f32]", "y: &mut [f32]")],
                    &["[signature] registry.json:7 row cpu.gelu.f32: fn gelu \
                       (kreg-kernels/src/cpu/portable/gelu.rs:2) is not what its op calls; fix: give `pub fn \
                       gelu` in kreg-kernels/src/cpu/portable/gelu.rs the signature named here\n  has  (y: \
                       &mut [f32])\n  op   (x: &mut [f32])"],
                ),
                (
                    vec![File(gelu, "pub fn", "pub unsafe fn")],
                    &["[signature] registry.json:7 row cpu.gelu.f32: fn gelu \
                       (kreg-kernels/src/cpu/portable/gelu.rs:2) is not what its op calls; fix: give `pub fn \
                       gelu` in kreg-kernels/src/cpu/portable/gelu.rs the signature named here\n  has  unsafe \
                       (x: &mut [f32])\n  op   (x: &mut [f32])"],
                ),
                (
                    vec![File(topk, "-> u32", "-> usize")],
                    &["[signature] registry.json:8 row cpu.sample.topk.f32: fn topk \
                       (kreg-kernels/src/cpu/portable/sample/topk.rs:1) is not what its op calls; fix: give \
                       `pub fn topk` in kreg-kernels/src/cpu/portable/sample/topk.rs the signature named \
                       here\n  has  (logits: &[f32], temperature: f32, top_k: usize, r: f32, ws: &mut \
                       Workspace) -> usize\n  op   (logits: &[f32], temperature: f32, top_k: usize, r: f32, \
                       ws: &mut Workspace) -> u32"],
                ),
                (
                    vec![File("kreg-kernels/src/cpu/avx2/matvec/q4_1.rs", "format::Q4_1", "format::Q4_0")],
                    &["[signature] registry.json:4 row cpu.matvec.q4_1.x86_64.avx2+fma: fn matvec \
                       (kreg-kernels/src/cpu/avx2/matvec/q4_1.rs:2) is not what its op calls; fix: give `pub \
                       fn matvec` in kreg-kernels/src/cpu/avx2/matvec/q4_1.rs the signature named here\n  has  \
                       (w: Matrix<Q4_0>, x: &[f32], y: &mut [f32], ws: &mut Workspace)\n  op   (w: \
                       Matrix<Q4_1>, x: &[f32], y: &mut [f32], ws: &mut Workspace)"],
                ),
                (vec![File(gelu, "x: &mut [f32]", "_x: &mut [f32]")], &[]),
            ],
        );
    }
}
