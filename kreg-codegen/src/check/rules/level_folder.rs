//! Where a kernel lies says for which backend and machine it is.

use crate::check::{Context, levels};
use crate::finding::{Finding, Rule};
use crate::vocabulary::EXACT;

pub(super) static RULE: Rule = Rule {
    id: "level-folder",
    summary: "A kernel in src/<backend>/ is of that backend, one in src/cpu/<level>/ of that level's arch; one in src/cpu/exact/ requires `exact`.",
    fix: "move the source, or correct backend, arch or requires",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for row in context.rows() {
        let Some(layout) = levels::layout(&row.source_file) else { continue };
        if layout.backend != row.backend {
            let cause =
                format!("backend is {}, and {} lies in src/{}", row.backend, row.source_file, layout.backend);
            findings.push(context.error(&RULE, row, cause));
        } else if let Some((level, arch)) = layout.level {
            let cause = if arch != row.arch {
                format!("arch is {}, and level {level} is for {arch}", row.arch)
            } else if level == EXACT && !row.requires.contains(EXACT) {
                "requires does not name exact, and level exact is for targets that demand it".into()
            } else {
                continue;
            };
            findings.push(context.error(&RULE, row, cause));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit::Row, expect};
    use super::*;

    #[test]
    fn backend_and_arch_follow_the_folder() {
        let id = "cpu.matvec.q4_1.x86_64.avx2+fma";
        expect(
            &RULE,
            &[
                (
                    vec![Row(id, "\"arch\":\"x86_64\"", "\"arch\":\"aarch64\"")],
                    &[
                        "[level-folder] registry.json:4 row cpu.matvec.q4_1.x86_64.avx2+fma: arch is aarch64, \
                         and level avx2 is for x86_64; fix: move the source, or correct backend, arch or requires",
                    ],
                ),
                (
                    vec![Row(id, "src/cpu/avx2", "src/cpu/portable")],
                    &[
                        "[level-folder] registry.json:4 row cpu.matvec.q4_1.x86_64.avx2+fma: arch is x86_64, and \
                         level portable is for any; fix: move the source, or correct backend, arch or requires",
                    ],
                ),
                (
                    vec![Row(id, "src/cpu/avx2", "src/cuda")],
                    &[
                        "[level-folder] registry.json:4 row cpu.matvec.q4_1.x86_64.avx2+fma: backend is cpu, and \
                         kreg-kernels/src/cuda/matvec/q4_1.rs lies in src/cuda; fix: move the source, or correct backend, \
                         arch or requires",
                    ],
                ),
                (
                    vec![Row("cpu.matvec.q4_1", "src/cpu/portable", "src/cpu/exact")],
                    &[
                        "[level-folder] registry.json:3 row cpu.matvec.q4_1: requires does not name exact, and \
                         level exact is for targets that demand it; fix: move the source, or correct backend, arch \
                         or requires",
                    ],
                ),
                (vec![Row(id, "src/cpu/avx2", "src/elsewhere")], &[]),
            ],
        );
    }
}
