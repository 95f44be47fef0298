//! `registry.json` to rows. Every problem of the document is reported in one run; a row with a field that is missing,
//! of the wrong type or of the wrong form is reported and left out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

use super::fields::{FIELDS, Kind, On, Value};
use super::json::{self, Lines, Members};
use crate::finding::{Finding, Place, Rule};
use crate::model::{Registry, Row, Weight};

/// The schema that this crate reads.
pub const SCHEMA: &str = "apr-kernel-registry/v1";

/// The rules of the document itself.
pub static RULES: [&Rule; 9] = [
    &SYNTAX,
    &DOCUMENT,
    &VERSION,
    &UNKNOWN_FIELD,
    &MISSING_FIELD,
    &DUPLICATE_FIELD,
    &FIELD_TYPE,
    &CLOSED_SET,
    &FIELD_PATTERN,
];

static SYNTAX: Rule = Rule {
    id: "json-syntax",
    summary: "The registry is well-formed JSON.",
    fix: "correct the JSON at this place",
};
static DOCUMENT: Rule = Rule {
    id: "document-shape",
    summary: "The document is an object with `schema`, `kernels` and `ops`, and perhaps a `note`.",
    fix: "write {\"schema\": \"apr-kernel-registry/v1\", \"kernels\": [...], \"ops\": [...]}",
};
static VERSION: Rule = Rule {
    id: "schema-version",
    summary: "`schema` is `apr-kernel-registry/v1`.",
    fix: "set \"schema\": \"apr-kernel-registry/v1\", or use the kreg-codegen that reads the other schema",
};
static UNKNOWN_FIELD: Rule = Rule {
    id: "unknown-field",
    summary: "A row has no fields but those of the schema.",
    fix: "remove the field or correct its name",
};
static MISSING_FIELD: Rule = Rule {
    id: "missing-field",
    summary: "A row has every field of the schema.",
    fix: "add the field to the row",
};
static DUPLICATE_FIELD: Rule =
    Rule { id: "duplicate-field", summary: "A field stands once in its row.", fix: "remove one of the two" };
static FIELD_TYPE: Rule = Rule {
    id: "field-type",
    summary: "A field has the JSON type that the schema gives it.",
    fix: "write the value as the type named here",
};
static CLOSED_SET: Rule = Rule {
    id: "closed-set",
    summary: "A field with a closed set has one of its values.",
    fix: "use one of the values listed here",
};
static FIELD_PATTERN: Rule = Rule {
    id: "field-pattern",
    summary: "A field with a pattern matches it.",
    fix: "rewrite the value in the form named here",
};

/// Reads a registry document. `name` is the file's name as messages should show it.
pub fn registry(name: &str, text: &str) -> (Registry, Vec<Finding>) {
    let mut reader = Reader { name, lines: Lines::of(text), findings: Vec::new() };
    let mut registry = Registry { name: name.into(), ..Registry::default() };
    match serde_json::from_str(text) {
        Ok(Members(members)) => reader.document(members, &mut registry),
        Err(_) if text.trim().is_empty() => reader.report(&DOCUMENT, 0, "", "the document is empty"),
        Err(e) if e.is_data() => reader.report(&DOCUMENT, 1, "", "the document is not an object"),
        Err(e) => {
            reader.report(&SYNTAX, e.line(), "", format!("column {}: {}", e.column(), json::message(&e)))
        }
    }
    if reader.findings.iter().any(|f| f.rule == SYNTAX.id || f.rule == DOCUMENT.id) {
        // Rows may be lost that nobody counted.
        registry.unread = registry.unread.max(1);
    }
    (registry, reader.findings)
}

struct Reader<'a> {
    name: &'a str,
    lines: Lines<'a>,
    findings: Vec<Finding>,
}

impl<'a> Reader<'a> {
    fn report(&mut self, rule: &Rule, line: usize, row: &str, cause: impl Into<String>) {
        let at = Place { file: self.name.into(), line };
        self.findings.push(rule.error(at, row, cause));
    }

    fn document(&mut self, members: Vec<(String, &'a RawValue)>, registry: &mut Registry) {
        let mut seen = BTreeMap::new();
        for (key, value) in members {
            let line = self.lines.line(value);
            match key.as_str() {
                "schema" | "note" | "kernels" | "ops" => {}
                _ => self.report(&DOCUMENT, line, "", format!("unknown top-level key {key:?}")),
            }
            if seen.insert(key.clone(), value).is_some() {
                self.report(&DOCUMENT, line, "", format!("top-level key {key:?} stands twice"));
            }
        }
        match seen.get("schema") {
            None => self.report(&VERSION, 1, "", "`schema` is missing"),
            Some(value) if serde_json::from_str::<&str>(value.get()).is_ok_and(|s| s == SCHEMA) => {}
            Some(value) => {
                self.report(&VERSION, self.lines.line(value), "", format!("`schema` is {}", value.get()));
            }
        }
        for (key, on) in [("kernels", On::Kernel), ("ops", On::Op)] {
            match seen.get(key) {
                None => self.report(&DOCUMENT, 1, "", format!("the list `{key}` is missing")),
                Some(value) => self.list(key, on, value, registry),
            }
        }
    }

    fn list(&mut self, key: &str, on: On, value: &'a RawValue, registry: &mut Registry) {
        let Ok(rows) = serde_json::from_str::<Vec<&RawValue>>(value.get()) else {
            let cause = format!("`{key}` is {}, not a list", json::kind(value));
            return self.report(&DOCUMENT, self.lines.line(value), "", cause);
        };
        registry.rows.reserve(rows.len());
        for (position, row) in rows.into_iter().enumerate() {
            match self.row(&format!("{key}[{position}]"), on, row) {
                Some(row) => registry.rows.push(row),
                None => registry.unread += 1,
            }
        }
    }

    /// Reads one row; `position` stands for its id where it has none.
    fn row(&mut self, position: &str, on: On, raw: &'a RawValue) -> Option<Row> {
        let line = self.lines.line(raw);
        let members = match serde_json::from_str(raw.get()) {
            Ok(Members(members)) => members,
            Err(e) if e.is_data() => {
                self.report(
                    &FIELD_TYPE,
                    line,
                    position,
                    format!("the row is {}, not an object", json::kind(raw)),
                );
                return None;
            }
            Err(e) => {
                self.report(&SYNTAX, line, position, json::message(&e));
                return None;
            }
        };
        let id = members.iter().find(|(key, _)| key == "kernel_id");
        let id = id.and_then(|(_, v)| serde_json::from_str::<String>(v.get()).ok());
        let id = id.unwrap_or_else(|| position.to_owned());
        let mut values = BTreeMap::new();
        let mut sound = true;
        for (key, raw) in &members {
            match self.field(&id, on, key, raw) {
                Ok(Some((field, value))) => {
                    if values.insert(field, value).is_some() {
                        self.report(
                            &DUPLICATE_FIELD,
                            self.lines.line(raw),
                            &id,
                            format!("field `{key}` stands twice"),
                        );
                    }
                }
                Ok(None) => {}
                Err(Unread) => sound = false,
            }
        }
        for field in FIELDS.iter().filter(|f| f.required_on(on)) {
            if !members.iter().any(|(key, _)| key == field.name) {
                self.report(&MISSING_FIELD, line, &id, format!("field `{}` is missing", field.name));
                sound = false;
            }
        }
        sound.then(|| assemble(line, on, values))
    }

    /// Reads one field: its value, nothing for a field that the row should not have, or [`Unread`].
    fn field(
        &mut self,
        id: &str,
        on: On,
        key: &str,
        raw: &'a RawValue,
    ) -> Result<Option<(&'static str, Value)>, Unread> {
        let line = self.lines.line(raw);
        let Some(field) = FIELDS.iter().find(|f| f.name == key) else {
            self.report(&UNKNOWN_FIELD, line, id, format!("field `{key}` is not in the schema"));
            return Ok(None);
        };
        if !field.allowed_on(on) {
            let cause = format!("field `{key}` belongs to kernel rows: an op row has no weight type");
            self.report(&UNKNOWN_FIELD, line, id, cause);
            return Ok(None);
        }
        let value = field.kind.read(raw).map_err(|expected| {
            let cause = format!("field `{key}` is {} where {expected} is expected", json::shown(raw));
            self.report(&FIELD_TYPE, line, id, cause);
            Unread
        })?;
        match (field.objection(on, &value), &field.kind) {
            (None, _) => {}
            (Some(cause), Kind::Closed(_)) => self.report(&CLOSED_SET, line, id, cause),
            (Some(cause), _) => {
                self.report(&FIELD_PATTERN, line, id, cause);
                return Err(Unread);
            }
        }
        Ok(Some((field.name, value)))
    }
}

/// A field whose value cannot be used; why has been reported.
struct Unread;

/// The row of fields that are all there.
fn assemble(line: usize, on: On, mut values: BTreeMap<&'static str, Value>) -> Row {
    let mut take = |name| values.remove(name).unwrap_or_default();
    let weight = (on == On::Kernel).then(|| Weight {
        qtype: take("qtype").text,
        ggml_type: take("ggml_type").number,
        layout: take("layout").text,
        block_elems: take("block_elems").number,
    });
    Row {
        line,
        id: take("kernel_id").text,
        op: take("op").text,
        weight,
        backend: take("backend").text,
        arch: take("arch").text,
        isa_features: names(&take("isa_features").text),
        requires: names(&take("requires").text),
        accumulate: take("accumulate").text,
        precision: take("precision").text,
        error_model: take("error_model").text,
        determinism: take("determinism").text,
        shape_class: take("shape_class").text,
        tolerance: take("tolerance").text,
        source_file: take("source_file").text,
        source_fn: take("source_fn").text,
        selector: take("selector").text,
        contract: take("contract").text,
        archs: take("archs").list,
        labels: take("labels").list.unwrap_or_default(),
    }
}

/// The names of `none`, or of a list joined by `+`.
fn names(joined: &str) -> BTreeSet<String> {
    if joined == "none" { BTreeSet::new() } else { joined.split('+').map(str::to_owned).collect() }
}
