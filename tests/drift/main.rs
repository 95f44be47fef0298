//! A copy of the tree is broken in each way that a drift rule names, and everything that the build prints is compared.
//! `KREG_BLESS=1` rewrites `expected/`.

mod cases;
mod tree;

use std::path::Path;

use tree::Tree;

/// The report as the build prints it. Line numbers move with the code around them: each is checked against the line
/// that it names, and shown as `_`.
fn printed(tree: &Tree, deny_stale: bool) -> String {
    let text = tree.check(deny_stale).directives();
    let lines = text.lines().map(|line| {
        let line = unnumbered(tree, line, "registry.json:", |row| {
            row.starts_with("{\"kernel_id\":") || !line.contains(" row ")
        });
        unnumbered(tree, &line, ".rs:", |source| source.contains("fn "))
    });
    lines.map(|line| line + "\n").collect()
}

/// Each `FILE:12` whose line `holds` becomes `FILE:_`.
fn unnumbered(tree: &Tree, line: &str, mark: &str, holds: impl Fn(&str) -> bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(mark) {
        let (head, tail) = rest.split_at(at + mark.len());
        let digits = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        out += head;
        rest = tail;
        let Ok(number) = tail[..digits].parse::<usize>() else { continue };
        let file = head.trim_end_matches(':').rsplit([' ', '(', '=']).next().unwrap();
        let named = tree.read(file).lines().nth(number - 1).unwrap_or_default().to_owned();
        assert!(holds(&named), "{line}\nnames line {number}: {named}");
        out += "_";
        rest = &tail[digits..];
    }
    out + rest
}

#[test]
fn every_drift_is_reported_whole() {
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drift/expected");
    let mut wrong = Vec::new();
    for (name, edits) in cases::CASES {
        let tree = Tree::new();
        edits.iter().for_each(|edit| tree.apply(edit));
        let got = printed(&tree, !name.ends_with("-warns"));
        let path = expected.join(format!("{name}.txt"));
        if std::env::var_os("KREG_BLESS").is_some() {
            std::fs::write(&path, &got).unwrap();
        }
        let want = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        if got != want {
            wrong.push(format!("== {name}\n-- expected\n{want}-- printed\n{got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drift/expected");
    let printed: String = cases::CASES
        .iter()
        .map(|(name, _)| std::fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap())
        .collect();
    // 65,536 rows or none, a folder or file that is not there: kreg-codegen's own tests have them.
    let elsewhere =
        ["row-count", "plan", "source-folder", "registry-file", "source-metadata", "sources-given"];
    for rule in kreg_codegen::check::rules() {
        let shown = printed.contains(&format!("[{}]", rule.id));
        assert!(shown || elsewhere.contains(&rule.id), "no case prints [{}]", rule.id);
    }
}
