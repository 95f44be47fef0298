//! The fields of a row as a table: name, which rows have it, JSON type, and the values that it may take.

use serde_json::value::RawValue;

use crate::vocabulary::{
    ACCUMULATE, BACKEND, DETERMINISM, ERROR_MODEL, KERNEL_OP, LAYOUT, OP_OP, PRECISION, SHAPE_CLASS, Set,
};

/// Which list a row stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    /// `kernels`.
    Kernel,
    /// `ops`.
    Op,
}

/// One field of the schema.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Whether only kernel rows have it.
    weight: bool,
    optional: bool,
}

/// The type and the values of a field.
pub(super) enum Kind {
    /// Text that a rule of `check` judges.
    Text,
    /// One of a closed set; `op` has one set per list.
    Closed(fn(On) -> &'static Set),
    /// Text of a form: what it is called, and the test.
    Pattern(&'static str, fn(&str) -> bool),
    /// A number below the limit.
    Number(u32),
    /// Text, or a number that a rule of `check` refuses with its own words.
    Typed,
    /// A list of texts.
    List,
}

/// A value as read; the part that the field's kind has is filled.
#[derive(Debug, Default)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) number: u32,
    pub(super) list: Option<Vec<String>>,
}

const fn both(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, weight: false, optional: false }
}

const fn weight(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, weight: true, optional: false }
}

const fn optional(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, weight: false, optional: true }
}

/// Every field, in the order of the schema.
pub(super) static FIELDS: &[Field] = &[
    both("kernel_id", Kind::Text),
    both("op", Kind::Closed(|on| if on == On::Kernel { &KERNEL_OP } else { &OP_OP })),
    weight("qtype", Kind::Text),
    weight("ggml_type", Kind::Number(256)),
    weight("layout", Kind::Closed(|_| &LAYOUT)),
    both("backend", Kind::Closed(|_| &BACKEND)),
    both("arch", Kind::Pattern("`any` or a lower-case name such as x86_64", is_arch)),
    both("isa_features", Kind::Pattern("`none` or different features such as avx2+fma", is_isa)),
    both("requires", Kind::Pattern("`none` or different features such as SHADER_F16+SUBGROUP", is_requires)),
    weight("block_elems", Kind::Number(u32::MAX)),
    both("accumulate", Kind::Closed(|_| &ACCUMULATE)),
    both("precision", Kind::Closed(|_| &PRECISION)),
    both("error_model", Kind::Closed(|_| &ERROR_MODEL)),
    both("determinism", Kind::Closed(|_| &DETERMINISM)),
    both("shape_class", Kind::Closed(|_| &SHAPE_CLASS)),
    both("tolerance", Kind::Typed),
    both("source_file", Kind::Pattern("<crate>/src/<path>.rs", is_source_file)),
    both("source_fn", Kind::Pattern("a lower-case Rust name", is_source_fn)),
    both("selector", Kind::Pattern("a Rust path of at least 8 characters", is_selector)),
    both("contract", Kind::Pattern("contracts/<name>.yaml", is_contract)),
    optional("archs", Kind::List),
    optional("labels", Kind::List),
];

impl Field {
    /// Whether rows of this list may have the field.
    pub(super) fn allowed_on(&self, on: On) -> bool {
        on == On::Kernel || !self.weight
    }

    /// Whether rows of this list must have the field.
    pub(super) fn required_on(&self, on: On) -> bool {
        !self.optional && self.allowed_on(on)
    }

    /// What is wrong with a value of the right type.
    pub(super) fn objection(&self, on: On, value: &Value) -> Option<String> {
        let name = self.name;
        match self.kind {
            Kind::Closed(set) if set(on).get(&value.text).is_none() => {
                Some(format!("field `{name}` is {:?}, which is none of {}", value.text, set(on).names()))
            }
            Kind::Pattern(form, fits) if !fits(&value.text) => {
                Some(format!("field `{name}` is {:?}, which is not {form}", value.text))
            }
            Kind::Number(limit) if value.number >= limit => {
                Some(format!("field `{name}` is {}, which is not below {limit}", value.number))
            }
            Kind::List if value.list.as_ref().is_some_and(Vec::is_empty) => {
                Some(format!("field `{name}` is an empty list, which is not a list of at least one name"))
            }
            _ => None,
        }
    }
}

impl Kind {
    /// Reads a JSON value of this kind, or says what is expected instead.
    pub(super) fn read(&self, raw: &RawValue) -> Result<Value, &'static str> {
        let json = raw.get();
        let mut value = Value::default();
        match self {
            Self::Number(_) => {
                value.number = serde_json::from_str(json).map_err(|_| "a whole number below 2^32")?
            }
            Self::List => value.list = Some(serde_json::from_str(json).map_err(|_| "a list of strings")?),
            Self::Typed if json.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                value.text = json.into()
            }
            _ => value.text = serde_json::from_str(json).map_err(|_| "a string")?,
        }
        Ok(value)
    }
}

/// Whether `text` is one or more of the allowed characters.
pub(crate) fn all(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(allowed)
}

/// `[a-z0-9_]`.
pub(crate) fn word(b: u8) -> bool {
    b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'
}

fn is_arch(text: &str) -> bool {
    all(text, word) && text.starts_with(|c: char| c.is_ascii_lowercase())
}

/// `none`, or different names joined by `+`.
fn is_joined(text: &str, allowed: fn(u8) -> bool) -> bool {
    let mut names: Vec<_> = text.split('+').collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    let some = text == "none" || !names.contains(&"none");
    names.len() == count && some && names.iter().all(|name| all(name, allowed))
}

fn is_isa(text: &str) -> bool {
    is_joined(text, |b| word(b) || b == b'.')
}

fn is_requires(text: &str) -> bool {
    is_joined(text, |b| b.is_ascii_alphanumeric() || b == b'_')
}

fn is_source_file(text: &str) -> bool {
    let text = text.strip_prefix("crates/").unwrap_or(text);
    let Some((name, path)) = text.split_once("/src/") else { return false };
    let Some(path) = path.strip_suffix(".rs") else { return false };
    let part = |part: &str| all(part, |b| b.is_ascii_alphanumeric() || b"_-.".contains(&b)) && part != "..";
    all(name, |b| word(b) || b == b'-') && path.split('/').all(part)
}

fn is_source_fn(text: &str) -> bool {
    all(text, word) && !text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_selector(text: &str) -> bool {
    text.len() >= 8 && all(text, |b| b.is_ascii_alphanumeric() || b == b'_' || b == b':')
}

fn is_contract(text: &str) -> bool {
    let stem = text.strip_prefix("contracts/").and_then(|t| t.strip_suffix(".yaml"));
    stem.is_some_and(|stem| all(stem, |b| b.is_ascii_alphanumeric() || b"_-.".contains(&b)))
}
