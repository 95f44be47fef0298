//! A row names a file of a known crate.

use crate::check::Context;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "source-missing",
    summary: "`source_file` exists in one of the kernel crates.",
    fix: "write the kernel in {file}, correct the path, or remove the row",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(sources) = context.sources else { return };
    for row in context.rows() {
        let Some(source) = sources.crate_of(&row.source_file) else {
            let cause = format!("{} lies in no crate whose sources are known", row.source_file);
            findings.push(context.error(&RULE, row, cause));
            continue;
        };
        if !sources.unread() && sources.file(&row.source_file).is_none() {
            let cause = format!("crate {} has no file {}", source.name, row.source_file);
            findings.push(context.error(&RULE, row, cause));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit, expect};
    use super::*;

    #[test]
    fn file_and_crate_must_exist() {
        expect(
            &RULE,
            &[
                (
                    vec![Edit::Remove("kreg-kernels/src/cpu/portable/gelu.rs")],
                    &["[source-missing] registry.json:7 row cpu.gelu.f32: crate kreg-kernels has no file \
                       kreg-kernels/src/cpu/portable/gelu.rs; fix: write the kernel in \
                       kreg-kernels/src/cpu/portable/gelu.rs, correct the path, or remove the row"],
                ),
                (
                    vec![Edit::Row("cpu.gelu.f32", "kreg-kernels/src", "crates/other/src")],
                    &["[source-missing] registry.json:7 row cpu.gelu.f32: \
                       crates/other/src/cpu/portable/gelu.rs lies in no crate whose sources are known; fix: \
                       write the kernel in crates/other/src/cpu/portable/gelu.rs, correct the path, or remove \
                       the row"],
                ),
            ],
        );
    }
}
