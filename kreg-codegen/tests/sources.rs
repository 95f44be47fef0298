//! Sources are found as rustc finds them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kreg_codegen::load;
use kreg_codegen::load::sources::{SourceCrate, Sources};
use kreg_codegen::model::Row;

fn source(src: PathBuf) -> SourceCrate {
    SourceCrate { name: "k".into(), src, path: "::k".into() }
}

/// Rows that name these files below `src`, each with a function `f`.
fn rows(files: &[&str]) -> Vec<Row> {
    let start = include_str!("../fixtures/apr-kernel-registry-v1.json");
    let (registry, _) = load::registry("registry.json", start);
    let row = &registry.rows[0];
    let named = |file| Row { source_file: format!("k/src/{file}"), source_fn: "f".into(), ..row.clone() };
    files.iter().map(named).collect()
}

fn parse(files: &[(&str, &str)], rows: &[Row]) -> (Sources, Vec<String>) {
    let files: BTreeMap<_, _> = files.iter().map(|(p, t)| ((*p).to_owned(), (*t).to_owned())).collect();
    let (sources, findings) = Sources::parse(vec![(source("src".into()), files)], rows);
    (sources, findings.iter().map(ToString::to_string).collect())
}

#[test]
fn mod_lines_lead_to_files() {
    const F: &str = "pub fn f() {}";
    let files = [
        (
            "lib.rs",
            "pub mod a;\npub mod outer { pub mod inner; }\n#[path = \"odd/place.rs\"]\npub mod b;\nmod hidden;",
        ),
        ("a.rs", "pub mod child;\n#[cfg(test)] mod tests;\npub mod r#loop;"),
        ("a/child.rs", F),
        ("a/loop.rs", F),
        ("a/tests.rs", F),
        ("outer/inner.rs", "#[path = \"../up.rs\"] pub mod up;"),
        ("up.rs", F),
        ("odd/place.rs", "pub mod sibling;"),
        ("odd/sibling.rs", F),
        ("hidden/mod.rs", "pub mod leaf;"),
        ("hidden/leaf.rs", F),
    ];
    /// File, module path if it is compiled, and the private module on the way.
    type Expected = (&'static str, Option<&'static [&'static str]>, Option<&'static str>);
    let expected: &[Expected] = &[
        ("a/child.rs", Some(&["a", "child"]), None),
        ("a/loop.rs", Some(&["a", "loop"]), None),
        ("a/tests.rs", None, None),
        ("up.rs", Some(&["outer", "inner", "up"]), None),
        ("odd/sibling.rs", Some(&["b", "sibling"]), None),
        ("hidden/leaf.rs", Some(&["hidden", "leaf"]), Some("hidden")),
    ];
    let rows = rows(&expected.iter().map(|(file, ..)| *file).collect::<Vec<_>>());
    let (sources, findings) = parse(&files, &rows);
    assert!(findings.is_empty(), "{findings:?}");
    for (row, (file, module, hidden_by)) in rows.iter().zip(expected) {
        let kernel = sources.kernel(row);
        let got = kernel.map(|k| k.module.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(got.as_deref(), *module, "{file}");
        assert_eq!(kernel.and_then(|k| k.hidden_by.as_deref()), *hidden_by, "{file}");
    }
}

#[test]
fn what_is_not_rust_is_a_finding() {
    let files =
        [("lib.rs", "pub mod cpu;"), ("cpu/mod.rs", "pub mod f;\n"), ("cpu/f.rs", "\npub fn f(x) {}\n")];
    let (sources, findings) = parse(&files, &rows(&["cpu/f.rs"]));
    assert!(sources.unread());
    assert_eq!(
        findings,
        ["[source-syntax] k/src/cpu/f.rs:2: expected `:`; fix: correct the source; `cargo check` shows more"]
    );
}

#[test]
fn only_what_may_hold_kernels_is_read() {
    let files =
        [("lib.rs", "mod tools;\npub mod cpu;"), ("tools.rs", "not rust"), ("cpu.rs", "pub fn f() {}")];
    let (sources, findings) = parse(&files, &rows(&["cpu.rs"]));
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(sources.files().map(|(file, _)| file).collect::<Vec<_>>(), ["k/src/cpu.rs", "k/src/lib.rs"]);
}

#[test]
fn sources_on_disk_read_as_their_texts() {
    let src = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/world/kreg-kernels/src");
    let (sources, findings) = Sources::read(&[source(src)], &rows(&["cpu/portable/gelu.rs"]));
    assert_eq!(findings, []);
    let gelu = sources.file("k/src/cpu/portable/gelu.rs").unwrap();
    assert!(gelu.compiled && gelu.kernels.contains_key("gelu") && gelu.private.contains_key("value"));
    assert_eq!(sources.features().unwrap().len(), 6);
}

#[test]
fn a_missing_folder_is_a_finding() {
    let (sources, findings) = Sources::read(&[source("no/such/folder".into())], &[]);
    assert!(sources.unread());
    let message = findings[0].to_string();
    assert!(message.starts_with("[source-folder] no/such/folder: the sources of k: "), "{message}");
}
