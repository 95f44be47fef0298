//! Our registry against the document that the project started from: every one of its rows is there, field by field. Read with serde_json alone, so that nothing of kreg-codegen judges itself.

use std::collections::BTreeMap;

use serde_json::Value;

const START: &str = include_str!("../fixtures/apr-kernel-registry-v1.json");
const OURS: &str = include_str!("../registry.json");

/// The fields that are ours to set.
const OURS_ALONE: [&str; 4] = ["source_file", "source_fn", "selector", "tolerance"];

/// Rows by section and id.
fn rows(text: &str) -> BTreeMap<(&str, String), Value> {
    let document: Value = serde_json::from_str(text).unwrap();
    let mut rows = BTreeMap::new();
    for section in ["kernels", "ops"] {
        for row in document[section].as_array().unwrap() {
            let id = row["kernel_id"].as_str().unwrap().to_owned();
            assert!(rows.insert((section, id), row.clone()).is_none(), "{row} stands twice");
        }
    }
    rows
}

#[test]
fn the_two_copies_of_the_starting_document_are_equal() {
    // kreg-codegen's own tests read theirs, so that the crate can be tested alone.
    assert!(START == include_str!("../kreg-codegen/fixtures/apr-kernel-registry-v1.json"));
}

#[test]
fn the_starting_document_has_its_eighty_rows() {
    let rows = rows(START);
    assert_eq!(rows.len(), 80);
    assert_eq!(rows.keys().filter(|(_, id)| id.starts_with("cpu.")).count(), 34);
}

#[test]
fn its_rows_are_ours_field_by_field() {
    let ours = rows(OURS);
    for ((section, id), mut theirs) in rows(START) {
        let mut row = ours.get(&(section, id.clone())).unwrap_or_else(|| panic!("{id} is missing")).clone();
        for field in OURS_ALONE {
            theirs.as_object_mut().unwrap().remove(field);
            assert!(row.as_object_mut().unwrap().remove(field).is_some(), "{id} has no {field}");
        }
        assert_eq!(row, theirs, "{id}");
    }
}

#[test]
fn rows_stand_one_a_line_sorted_by_id() {
    for section in ["\"kernels\": [\n", "\"ops\": [\n"] {
        let body = OURS.split_once(section).unwrap().1.split_once("\n]").unwrap().0;
        let mut last = String::new();
        for line in body.lines() {
            let row: Value = serde_json::from_str(line.trim_end_matches(',')).expect("a row on one line");
            let id = row["kernel_id"].as_str().unwrap();
            assert!(last.as_str() < id, "{id} stands after {last}");
            last = id.to_owned();
        }
    }
}
