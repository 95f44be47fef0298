//! A kernel without a row cannot be reached, measured or trusted.
//!
//! A kernel is recognised by its place (`src/<backend>/`, on the cpu below a level) and by being a public function with
//! the name of an op (or variant), on the cpu with the op's signature too. Helpers are not kernels.

use std::collections::BTreeSet;

use crate::check::{Context, levels, signatures};
use crate::finding::{Finding, Place, Rule};
use crate::load::sources::Kernel;
use crate::vocabulary::{KERNEL_OP, OP_OP};

pub(super) static RULE: Rule = Rule {
    id: "source-unregistered",
    summary: "Every kernel in the sources has a row; a partial registry may leave out those of its dependencies.",
    fix: "add its row to the registry, or make the function private; a registry that picks from the kernels of a \
          dependency says Builder::partial()",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(sources) = context.sources else { return };
    if context.registry.unread > 0 {
        return;
    }
    let picks = |path: &str| context.partial && sources.crate_of(path).is_none_or(|c| c.path != "crate");
    let named: BTreeSet<_> =
        context.rows().map(|row| (row.source_file.as_str(), row.source_fn.as_str())).collect();
    for (path, file) in sources.files().filter(|(path, _)| !picks(path)) {
        for kernel in file.kernels.values().filter(|k| is_kernel(path, k)) {
            if !named.contains(&(path, kernel.name.as_str())) {
                let compiled =
                    if file.compiled || sources.unread() { "" } else { ", and no `mod` leads to it" };
                let cause = format!("pub fn {} is a kernel that no row names{compiled}", kernel.name);
                findings.push(RULE.error(Place { file: path.into(), line: kernel.line }, "", cause));
            }
        }
    }
}

fn is_kernel(path: &str, kernel: &Kernel) -> bool {
    let Some(layout) = levels::layout(path) else { return false };
    let name = kernel.name.as_str();
    if layout.backend != "cpu" && (KERNEL_OP.get(name).is_some() || OP_OP.get(name).is_some()) {
        return true;
    }
    let text = signatures::text(kernel);
    let (text, _) = signatures::generalise(&text);
    signatures::all().any(|s| s.backend == layout.backend && s.name() == name && s.text == text)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit, expect};
    use super::*;

    #[test]
    fn kernels_without_a_row_are_found_and_helpers_are_not() {
        let orphan = "kreg-kernels/src/cpu/portable/swiglu.rs";
        let swiglu = "pub fn swiglu(gate: &mut [f32], up: &[f32]) {}\n";
        expect(
            &RULE,
            &[
                (
                    vec![Edit::Drop("cpu.gelu.f32")],
                    &[
                        "[source-unregistered] kreg-kernels/src/cpu/portable/gelu.rs:2: pub fn gelu is a kernel \
                         that no row names; fix: add its row to the registry, or make the function private; a registry that picks from the kernels of a dependency says Builder::partial()",
                    ],
                ),
                (
                    vec![Edit::Drop("cpu.matvec.q4_1.x86_64.avx2+fma")],
                    &[
                        "[source-unregistered] kreg-kernels/src/cpu/avx2/matvec/q4_1.rs:2: pub fn matvec is a \
                         kernel that no row names; fix: add its row to the registry, or make the function private; a registry that picks from the kernels of a dependency says Builder::partial()",
                    ],
                ),
                (
                    vec![Edit::Add(orphan, swiglu)],
                    &["[source-unregistered] kreg-kernels/src/cpu/portable/swiglu.rs:1: pub fn swiglu is a \
                       kernel that no row names, and no `mod` leads to it; fix: add its row to the registry, \
                       or make the function private; a registry that picks from the kernels of a dependency says Builder::partial()"],
                ),
                (
                    vec![Edit::Add(orphan, "pub fn swiglu(x: &[f32]) {}\npub fn helper(x: &mut [f32]) {}\n")],
                    &[],
                ),
                (vec![Edit::Add("kreg-kernels/src/cpu/check/swiglu.rs", swiglu)], &[]),
                (
                    vec![Edit::Add("kreg-kernels/src/cuda/gelu.rs", "pub fn gelu() {}\npub fn load() {}\n")],
                    &[
                        "[source-unregistered] kreg-kernels/src/cuda/gelu.rs:1: pub fn gelu is a kernel that no \
                         row names, and no `mod` leads to it; fix: add its row to the registry, or make the \
                         function private; a registry that picks from the kernels of a dependency says Builder::partial()",
                    ],
                ),
            ],
        );
    }
}
