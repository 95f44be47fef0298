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

/// The starting document grown to 10,000 kernel rows, each for a machine of its own.
#[test]
fn ten_thousand_rows_load_in_linear_time() {
    let (head, rest) = START.split_once("\"kernels\": [\n").unwrap();
    let (kernels, ops) = rest.split_once("],\n\"ops\": [\n").unwrap();
    let last = kernels.trim_end().rsplit("},\n").next().unwrap();
    let id = last.split('"').nth(3).unwrap();
    let document = |rows: usize| {
        let more = (0..rows).map(|i| {
            let row = last.replace(&format!("\"{id}\""), &format!("\"{id}.sm_{i}\""));
            format!(",\n{}", row.replace("\"arch\": \"any\"", &format!("\"arch\": \"sm_{i}\"")))
        });
        format!(
            "{head}\"kernels\": [\n{}{}\n],\n\"ops\": [\n{ops}",
            kernels.trim_end(),
            more.collect::<String>()
        )
    };
    let seconds = |rows: usize| {
        let text = document(rows);
        let start = std::time::Instant::now();
        let (registry, findings) = load::registry("registry.json", &text);
        assert_eq!(findings, []);
        assert_eq!(check::run(&Context::new(&registry)), []);
        assert_eq!(registry.rows.len(), 80 + rows);
        start.elapsed().as_secs_f64()
    };
    let (small, large) = (seconds(1_000), seconds(10_000));
    println!("1,000 more rows: {small:.3} s; 10,000: {large:.3} s");
    // Quadratic would be a factor of 100.
    assert!(large < 40.0 * small, "{small} s for 1,000 rows, {large} s for 10,000");
}
