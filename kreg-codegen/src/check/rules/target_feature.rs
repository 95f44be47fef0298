//! A selector calls a kernel when the features of its row are there: those must be the features that it uses.

use std::collections::BTreeSet;

use crate::check::Context;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "target-feature",
    summary: "`isa_features` is the kernel's `#[target_feature(enable = …)]` set.",
    fix: "make the two equal: what the code uses decides",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(sources) = context.sources else { return };
    for row in context.rows() {
        let Some(kernel) = sources.kernel(row).filter(|kernel| kernel.features != row.isa_features) else {
            continue;
        };
        let enabled = joined(&kernel.features);
        let (file, line) = (&row.source_file, kernel.line);
        let cause = format!(
            "isa_features is {}, and fn {} ({file}:{line}) enables {enabled}",
            row.isa(),
            kernel.name
        );
        findings.push(context.error(&RULE, row, cause));
    }
}

fn joined(names: &BTreeSet<String>) -> String {
    if names.is_empty() { "none".into() } else { names.iter().cloned().collect::<Vec<_>>().join("+") }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::File, Edit::Row, expect};
    use super::*;

    #[test]
    fn more_fewer_and_none() {
        let avx2 = "kreg-kernels/src/cpu/avx2/matvec/q4_1.rs";
        let id = "cpu.matvec.q4_1.x86_64.avx2+fma";
        expect(
            &RULE,
            &[
                (
                    vec![File(avx2, "enable = \"avx2,fma\"", "enable = \"avx2\"")],
                    &[
                        "[target-feature] registry.json:4 row cpu.matvec.q4_1.x86_64.avx2+fma: isa_features is \
                         avx2+fma, and fn matvec (kreg-kernels/src/cpu/avx2/matvec/q4_1.rs:2) enables avx2; fix: \
                         make the two equal: what the code uses decides",
                    ],
                ),
                (
                    vec![File(avx2, "#[target_feature(enable = \"avx2,fma\")]", "")],
                    &[
                        "[target-feature] registry.json:4 row cpu.matvec.q4_1.x86_64.avx2+fma: isa_features is \
                         avx2+fma, and fn matvec (kreg-kernels/src/cpu/avx2/matvec/q4_1.rs:2) enables none; fix: \
                         make the two equal: what the code uses decides",
                    ],
                ),
                (
                    vec![Row(id, "\"isa_features\":\"avx2+fma\"", "\"isa_features\":\"avx2+bmi2+fma\"")],
                    &[
                        "[target-feature] registry.json:4 row cpu.matvec.q4_1.x86_64.avx2+fma: isa_features is \
                         avx2+bmi2+fma, and fn matvec (kreg-kernels/src/cpu/avx2/matvec/q4_1.rs:2) enables \
                         avx2+fma; fix: make the two equal: what the code uses decides",
                    ],
                ),
                (
                    vec![File(
                        avx2,
                        "(enable = \"avx2,fma\")",
                        "(enable = \"fma\")]\n#[target_feature(enable = \"avx2\")",
                    )],
                    &[],
                ),
            ],
        );
    }
}
