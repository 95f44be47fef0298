//! The registry as data: what load produces, check judges and plan sorts.

use std::collections::BTreeSet;

/// A registry document, row by row in file order.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    /// File name for messages, such as `registry.json`.
    pub name: String,
    /// Kernel rows (`kernels`), then op rows (`ops`).
    pub rows: Vec<Row>,
    /// Rows of the document that could not be read, so that no rule concludes from their absence.
    pub unread: usize,
}

/// One row: a kernel that a selector can reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Line of the row's opening brace, from 1.
    pub line: usize,
    /// `kernel_id`.
    pub id: String,
    /// `op`.
    pub op: String,
    /// The weight type of a kernel row; `None` makes it an op row.
    pub weight: Option<Weight>,
    /// `backend`.
    pub backend: String,
    /// `arch`: `any`, or a machine.
    pub arch: String,
    /// `isa_features`: empty for `none`.
    pub isa_features: BTreeSet<String>,
    /// `requires`: empty for `none`.
    pub requires: BTreeSet<String>,
    /// `accumulate`.
    pub accumulate: String,
    /// `precision`.
    pub precision: String,
    /// `error_model`.
    pub error_model: String,
    /// `determinism`.
    pub determinism: String,
    /// `shape_class`.
    pub shape_class: String,
    /// `tolerance`: `unmeasured`, or the path of a receipt.
    pub tolerance: String,
    /// `source_file`: crate name, `/src/`, path.
    pub source_file: String,
    /// `source_fn`.
    pub source_fn: String,
    /// `selector`.
    pub selector: String,
    /// `contract`.
    pub contract: String,
    /// `archs`: model families; `None` means every family.
    pub archs: Option<Vec<String>>,
    /// `labels`.
    pub labels: Vec<String>,
}

/// What a kernel row says of its weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weight {
    /// `qtype`, such as `Q4_K`.
    pub qtype: String,
    /// `ggml_type`.
    pub ggml_type: u32,
    /// `layout`.
    pub layout: String,
    /// `block_elems`.
    pub block_elems: u32,
}

impl Row {
    /// The segments of an op row's id between the op and the precision: `neox` in `cuda.rope.neox.f32`. Empty for a
    /// kernel row and for an op without variants.
    pub fn variant(&self) -> &str {
        if self.weight.is_some() {
            return "";
        }
        let head = self.backend.len() + 1 + self.op.len();
        let body = self.id.split_once('.').map_or("", |_| self.id.get(head..).unwrap_or(""));
        let body = body.strip_prefix('.').unwrap_or("");
        // What is left is `[variant.]precision[.arch[.isa]]`.
        match body.split_once('.') {
            Some((first, _)) if first != self.precision => first,
            _ => "",
        }
    }

    /// The dispatch cell that the row competes in: backend, op, and weight type or variant.
    pub fn cell(&self) -> (&str, &str, &str) {
        (&self.backend, &self.op, self.weight.as_ref().map_or_else(|| self.variant(), |w| &w.qtype))
    }

    /// The path of the row's receipt; `None` while it is unmeasured.
    pub fn receipt(&self) -> Option<&str> {
        (self.tolerance != "unmeasured").then_some(self.tolerance.as_str())
    }

    /// `isa_features` as the registry spells it, in alphabetical order.
    pub fn isa(&self) -> String {
        joined(&self.isa_features)
    }

    /// `requires` as the registry spells it, in alphabetical order.
    pub fn required(&self) -> String {
        joined(&self.requires)
    }
}

/// `none`, or the names joined by `+`.
fn joined(names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        return "none".into();
    }
    names.iter().map(String::as_str).collect::<Vec<_>>().join("+")
}
