//! A file that no `mod` reaches is text, not a kernel.

use crate::check::Context;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "source-uncompiled",
    summary: "`source_file` is compiled: `mod` lines lead to it from `lib.rs`.",
    fix: "add its `mod` line to the module above {file}",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(sources) = context.sources.filter(|sources| !sources.unread()) else { return };
    for row in context.rows() {
        if sources.file(&row.source_file).is_some_and(|file| !file.compiled) {
            let cause = format!("no `mod` leads to {}", row.source_file);
            findings.push(context.error(&RULE, row, cause));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::File, expect};
    use super::*;

    #[test]
    fn every_step_of_the_way_counts() {
        let portable = "kreg-kernels/src/cpu/portable/mod.rs";
        expect(
            &RULE,
            &[
                (
                    vec![File(portable, "pub mod gelu;", "")],
                    &["[source-uncompiled] registry.json:7 row cpu.gelu.f32: no `mod` leads to \
                       kreg-kernels/src/cpu/portable/gelu.rs; fix: add its `mod` line to the module above \
                       kreg-kernels/src/cpu/portable/gelu.rs"],
                ),
                (
                    vec![File(portable, "pub mod gelu;", "// pub mod gelu;")],
                    &["[source-uncompiled] registry.json:7 row cpu.gelu.f32: no `mod` leads to \
                       kreg-kernels/src/cpu/portable/gelu.rs; fix: add its `mod` line to the module above \
                       kreg-kernels/src/cpu/portable/gelu.rs"],
                ),
                (
                    vec![File(portable, "pub mod gelu;", "#[cfg(test)] pub mod gelu;")],
                    &["[source-uncompiled] registry.json:7 row cpu.gelu.f32: no `mod` leads to \
                       kreg-kernels/src/cpu/portable/gelu.rs; fix: add its `mod` line to the module above \
                       kreg-kernels/src/cpu/portable/gelu.rs"],
                ),
                (
                    vec![File("kreg-kernels/src/cpu/mod.rs", "pub mod avx2;", "")],
                    &[
                        "[source-uncompiled] registry.json:4 row cpu.matvec.q4_1.x86_64.avx2+fma: no `mod` leads \
                         to kreg-kernels/src/cpu/avx2/matvec/q4_1.rs; fix: add its `mod` line to the module \
                         above kreg-kernels/src/cpu/avx2/matvec/q4_1.rs",
                    ],
                ),
                (vec![File(portable, "pub mod gelu;", "#[path = \"gelu.rs\"] pub mod erf;")], &[]),
            ],
        );
    }
}
