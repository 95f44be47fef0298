//! A host wrapper runs something on a device: the text of that lies beside it, with the wrapper's stem.

use crate::check::Context;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "device-source",
    summary: "Beside the wrapper of a cuda row lies the `.cu` file of the same stem, unless its variant begins with `host`.",
    fix: "write the kernel beside {file}, with the extension named here; an op that runs on the host is a variant `host`",
};

/// Languages of devices: backend, and extension of its texts.
const LANGUAGES: [(&str, &str); 1] = [("cuda", "cu")];

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(sources) = context.sources.filter(|sources| !sources.unread()) else { return };
    for row in context.rows().filter(|row| !row.variant().starts_with("host")) {
        let language = LANGUAGES.iter().find(|(backend, _)| *backend == row.backend);
        let Some((_, extension)) = language.filter(|_| sources.file(&row.source_file).is_some()) else {
            continue;
        };
        if sources.beside(&row.source_file, extension).is_none() {
            let stem = row.source_file.strip_suffix(".rs").unwrap_or(&row.source_file);
            findings.push(context.error(&RULE, row, format!("there is no {stem}.{extension}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit, expect};
    use super::*;

    #[test]
    fn a_wrapper_without_its_kernel_is_found() {
        expect(
            &RULE,
            &[(
                vec![Edit::Remove("kreg-kernels/src/cuda/rope/neox.cu")],
                &["[device-source] registry.json:9 row cuda.rope.neox.f32: there is no \
                   kreg-kernels/src/cuda/rope/neox.cu; fix: write the kernel beside \
                   kreg-kernels/src/cuda/rope/neox.rs, with the extension named here; an op that runs on the host is \
                   a variant `host`"],
            )],
        );
    }
}
