//! `docs/rules.md` lists every rule as the rules' own data has it. `KREG_BLESS=1` rewrites it.

use kreg_codegen::check::rules;

const HEAD: &str = "\
# Drift rules

What `cargo build` holds a registry to: one run reports everything that disagrees, as errors of Cargo's own form, and
writes nothing until all of it agrees. Each line of a report names the rule, `registry.json:LINE`, the row, what
disagrees and what to do next. A stale receipt is a warning in a working tree, and an error under `KREG_DENY_STALE=1`.

This page is written by `KREG_BLESS=1 cargo test -p kreg --test rules_page` from `kreg-codegen`, where each rule of the
second half is a file of `src/check/rules/`.

| rule | what holds | when it does not |
|---|---|---|
";

#[test]
fn the_page_lists_every_rule() {
    // What a fix takes from the row at hand.
    let cell = |text: &str| {
        let text = text.replace('|', "\\|");
        let row = ["id", "file", "fn", "contract", "tolerance"].iter();
        row.fold(text, |text, part| text.replace(&format!("{{{part}}}"), &format!("*{part}*")))
    };
    let line = |rule: &kreg_codegen::finding::Rule| {
        format!("| `{}` | {} | {} |\n", rule.id, cell(rule.summary), cell(rule.fix))
    };
    let page: String = HEAD.to_owned() + &rules().into_iter().map(line).collect::<String>();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rules.md");
    if std::env::var_os("KREG_BLESS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(page, stored, "KREG_BLESS=1 rewrites {path}");
}
