//! CUDA kernels are compiled ahead of time: the PTX beside a `.cu` file is made of that very text and of its headers.
//!
//! `scripts/ptx.py` writes into a PTX one line `// sha256 <digest> <file below src>` for each file that went into it. Which
//! those are follows from the quoted names in the sources.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::Context;
use crate::digest;
use crate::finding::{Finding, Place, Rule};

pub(super) static RULE: Rule = Rule {
    id: "ptx-stale",
    summary: "The PTX beside each `.cu` file was compiled from that file and its headers as they are.",
    fix: "run scripts/ptx.sh and commit what it writes",
};

/// Where a quoted name is looked for when it is not beside the file that includes it.
const ROOT: &str = "cuda";

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(sources) = context.sources.filter(|sources| !sources.unread()) else { return };
    let texts = sources.texts();
    for source in texts.keys().filter(|name| name.ends_with(".cu")) {
        if let Err(cause) = compare(texts, source) {
            findings.push(RULE.error(Place { file: source.clone(), line: 0 }, "", cause));
        }
    }
}

/// Holds the digests that a PTX records to the texts.
fn compare(texts: &BTreeMap<String, String>, source: &str) -> Result<(), String> {
    let ptx = format!("{}.ptx", source.strip_suffix(".cu").unwrap_or(source));
    let Some(text) = texts.get(&ptx) else { return Err(format!("there is no {ptx}")) };
    let prefix = source.split_once("/src/").map_or("", |(name, _)| name).to_owned() + "/src/";
    let line = |line: &str| {
        let (digest, file) = line.strip_prefix("// sha256 ")?.split_once(' ')?;
        Some((format!("{prefix}{}", file.trim_end()), digest.to_owned()))
    };
    let recorded: BTreeMap<String, String> =
        text.lines().take_while(|line| line.starts_with("//")).filter_map(line).collect();
    let now = inputs(texts, source, &prefix)?;
    if let Some(other) = recorded.keys().find(|name| !now.contains(*name)) {
        return Err(format!("{ptx} was compiled with {other}, which it does not include any more"));
    }
    if let Some(new) = now.iter().find(|name| !recorded.contains_key(*name)) {
        return Err(format!("{ptx} was compiled without {new}, which it includes"));
    }
    match recorded.iter().find(|(name, then)| **then != digest::source(&texts[*name])) {
        Some((name, _)) => Err(format!("{name} is not as it was when {ptx} was compiled")),
        None => Ok(()),
    }
}

/// The file and every header that it includes by a quoted name, directly or not.
fn inputs(texts: &BTreeMap<String, String>, source: &str, prefix: &str) -> Result<BTreeSet<String>, String> {
    let mut found = BTreeSet::new();
    let mut open = vec![source.to_owned()];
    while let Some(file) = open.pop() {
        if !found.insert(file.clone()) {
            continue;
        }
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        for name in texts[&file].lines().filter_map(included) {
            let places = [normal(folder, name), normal(&format!("{prefix}{ROOT}"), name)];
            let place = places.into_iter().find(|place| texts.contains_key(place));
            open.push(place.ok_or_else(|| format!("{file} includes {name:?}, which is nowhere"))?);
        }
    }
    Ok(found)
}

/// The name in `#include "name"`.
fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    rest.strip_prefix('"')?.split_once('"').map(|(name, _)| name)
}

/// `name` from `folder`, without `..`.
fn normal(folder: &str, name: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in name.split('/') {
        match part {
            "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit, World, expect};
    use super::*;

    const CU: &str = "kreg-kernels/src/cuda/rope/neox.cu";
    const CUH: &str = "kreg-kernels/src/cuda/device/angle.cuh";
    const PTX: &str = "kreg-kernels/src/cuda/rope/neox.ptx";

    #[test]
    fn source_and_headers_are_those_that_were_compiled() {
        let stale = |cause: &str| {
            format!("[ptx-stale] {CU}: {cause}; fix: run scripts/ptx.sh and commit what it writes")
        };
        let cases: &[(Vec<Edit>, String)] = &[
            (vec![Edit::File(CU, "x[0]", "x[1]")], format!("{CU} is not as it was when {PTX} was compiled")),
            (
                vec![Edit::File(CUH, "1.0f", "2.0f")],
                format!("{CUH} is not as it was when {PTX} was compiled"),
            ),
            (vec![Edit::Remove(PTX)], format!("there is no {PTX}")),
            (vec![Edit::Remove(CUH)], format!("{CU} includes \"device/angle.cuh\", which is nowhere")),
            (
                vec![Edit::File(CU, "#include \"device/angle.cuh\"\n", "")],
                format!("{PTX} was compiled with {CUH}, which it does not include any more"),
            ),
            (
                vec![
                    Edit::Add("kreg-kernels/src/cuda/rope/own.cuh", "\n"),
                    Edit::File(CU, "#include", "#include \"own.cuh\"\n#include"),
                ],
                format!("{PTX} was compiled without kreg-kernels/src/cuda/rope/own.cuh, which it includes"),
            ),
        ];
        for (edits, cause) in cases {
            let mut world = World::new();
            world.apply(edits);
            let found: Vec<_> = world.findings(&RULE).iter().map(ToString::to_string).collect();
            assert_eq!(found, [stale(cause)]);
        }
        expect(&RULE, &[(vec![Edit::File(CU, "\n", "\r\n")], &[])]);
    }

    #[test]
    fn names_are_found_as_the_compiler_finds_them() {
        assert_eq!(included("  #  include \"a/b.cuh\" // why"), Some("a/b.cuh"));
        assert_eq!(included("#include <cuda_fp16.h>"), None);
        assert_eq!(normal("k/src/cuda/gemv", "../device/./x.cuh"), "k/src/cuda/device/x.cuh");
    }
}
