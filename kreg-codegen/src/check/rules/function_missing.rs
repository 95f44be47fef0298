//! A row names a function that generated code can call.

use crate::check::Context;
use crate::finding::{Finding, Rule};
use crate::load::sources::SourceFile;
use crate::model::Row;

pub(super) static RULE: Rule = Rule {
    id: "function-missing",
    summary: "`source_fn` is a public function at the top of `source_file`, in public modules.",
    fix: "declare `pub fn {fn}` in {file} and `pub mod` above it, or correct the row",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(sources) = context.sources.filter(|sources| !sources.unread()) else { return };
    for row in context.rows() {
        let cause = sources.file(&row.source_file).and_then(|file| cause(row, file));
        findings.extend(cause.map(|cause| context.error(&RULE, row, cause)));
    }
}

fn cause(row: &Row, file: &SourceFile) -> Option<String> {
    let (name, path) = (&row.source_fn, &row.source_file);
    if let Some(kernel) = file.kernels.get(name) {
        let module = kernel.hidden_by.as_ref()?;
        return Some(format!("module `{module}` on the way to {path} is not `pub`"));
    }
    if let Some(line) = file.private.get(name) {
        return Some(format!("fn {name} ({path}:{line}) is not `pub`"));
    }
    let others: Vec<_> = file.kernels.keys().map(String::as_str).collect();
    let others = if others.is_empty() { "none".into() } else { others.join(", ") };
    Some(format!("{path} has no fn {name}; its public functions: {others}"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::File, expect};
    use super::*;

    #[test]
    fn it_must_exist_and_be_reachable() {
        let gelu = "kreg-kernels/src/cpu/portable/gelu.rs";
        expect(
            &RULE,
            &[
                (
                    vec![File(gelu, "pub fn gelu", "pub fn gelu_erf")],
                    &["[function-missing] registry.json:7 row cpu.gelu.f32: \
                       kreg-kernels/src/cpu/portable/gelu.rs has no fn gelu; its public functions: gelu_erf; \
                       fix: declare `pub fn gelu` in kreg-kernels/src/cpu/portable/gelu.rs and `pub mod` above \
                       it, or correct the row"],
                ),
                (
                    vec![File(gelu, "pub fn gelu", "pub(crate) fn gelu")],
                    &["[function-missing] registry.json:7 row cpu.gelu.f32: fn gelu \
                       (kreg-kernels/src/cpu/portable/gelu.rs:2) is not `pub`; fix: declare `pub fn gelu` in \
                       kreg-kernels/src/cpu/portable/gelu.rs and `pub mod` above it, or correct the row"],
                ),
                (
                    vec![File(gelu, "pub fn gelu", "#[cfg(test)] pub fn gelu")],
                    &["[function-missing] registry.json:7 row cpu.gelu.f32: \
                       kreg-kernels/src/cpu/portable/gelu.rs has no fn gelu; its public functions: none; fix: \
                       declare `pub fn gelu` in kreg-kernels/src/cpu/portable/gelu.rs and `pub mod` above it, \
                       or correct the row"],
                ),
                (
                    vec![File("kreg-kernels/src/cpu/portable/mod.rs", "pub mod gelu", "mod gelu")],
                    &["[function-missing] registry.json:7 row cpu.gelu.f32: module `gelu` on the way to \
                       kreg-kernels/src/cpu/portable/gelu.rs is not `pub`; fix: declare `pub fn gelu` in \
                       kreg-kernels/src/cpu/portable/gelu.rs and `pub mod` above it, or correct the row"],
                ),
                (
                    vec![File("kreg-kernels/src/cpu/mod.rs", "pub mod avx2", "pub(crate) mod avx2")],
                    &[
                        "[function-missing] registry.json:4 row cpu.matvec.q4_1.x86_64.avx2+fma: module `avx2` \
                         on the way to kreg-kernels/src/cpu/avx2/matvec/q4_1.rs is not `pub`; fix: declare `pub \
                         fn matvec` in kreg-kernels/src/cpu/avx2/matvec/q4_1.rs and `pub mod` above it, or \
                         correct the row",
                    ],
                ),
            ],
        );
    }
}
