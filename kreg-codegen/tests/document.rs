//! The document that the project starts from loads and checks without a finding.

use kreg_codegen::check::{self, Context};
use kreg_codegen::load;

const START: &str = include_str!("../fixtures/apr-kernel-registry-v1.json");

#[test]
fn the_starting_document_has_no_finding() {
    let (registry, findings) = load::registry("registry.json", START);
    assert_eq!(findings, []);
    assert_eq!(registry.rows.len(), 80);
    assert_eq!(registry.unread, 0);
    assert_eq!(registry.rows.iter().filter(|row| row.weight.is_some()).count(), 41);
    assert_eq!(check::run(&Context::new(&registry)), []);
}

#[test]
fn every_row_knows_its_line() {
    let (registry, _) = load::registry("registry.json", START);
    let lines: Vec<&str> = START.lines().collect();
    for row in &registry.rows {
        assert_eq!(lines[row.line - 1], "{");
        assert_eq!(lines[row.line], format!("\"kernel_id\": {:?},", row.id));
    }
}
