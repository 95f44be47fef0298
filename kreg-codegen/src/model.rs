//! The registry as data: what load produces, check judges and plan sorts.

use std::collections::BTreeSet;

/// A registry document, row by row in file order.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    /// File name for messages, such as `registry.json`.
    pub name: String,
    /// Kernel rows (`kernels`), then op rows (`ops`).
    pub rows: Vec<Row>,
    /// Rows and other parts of the document that could not be read, so that no rule concludes from their absence.
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
        let body = self.id.strip_prefix(self.backend.as_str()).and_then(|id| id.strip_prefix('.'));
        let body = body.and_then(|id| id.strip_prefix(self.op.as_str())).and_then(|id| id.strip_prefix('.'));
        let body = body.unwrap_or("");
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

    /// The path of the row's receipt, below `evidence/`; `None` for any other tolerance, such as `unmeasured`.
    pub fn receipt(&self) -> Option<&str> {
        let stem = self.tolerance.strip_prefix("evidence/")?.strip_suffix(".json")?;
        let plain = |part: &str| part.bytes().all(|b| b.is_ascii_alphanumeric() || b"._+-".contains(&b));
        let part = |part: &str| !part.is_empty() && part != ".." && plain(part);
        stem.split('/').all(part).then_some(self.tolerance.as_str())
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A row with nothing in it.
    pub(crate) fn row() -> Row {
        let none = String::new;
        Row {
            line: 1,
            id: none(),
            op: none(),
            weight: None,
            backend: none(),
            arch: none(),
            isa_features: BTreeSet::new(),
            requires: BTreeSet::new(),
            accumulate: none(),
            precision: none(),
            error_model: none(),
            determinism: none(),
            shape_class: none(),
            tolerance: none(),
            source_file: none(),
            source_fn: none(),
            selector: none(),
            contract: none(),
            archs: None,
            labels: Vec::new(),
        }
    }

    #[test]
    fn the_variant_stands_between_op_and_precision() {
        for (id, variant) in [
            ("cpu.gelu.f32", ""),
            ("cpu.gelu.f32.x86_64.avx2", ""),
            ("cuda.rope.neox.f32", "neox"),
            ("cuda.rope.neox.f32.sm_89", "neox"),
            ("cpu.rope.f32", ""),
            ("cpu", ""),
        ] {
            let (op, backend) = (id.split('.').nth(1).unwrap_or(""), id.split('.').next().unwrap_or(""));
            let row = Row {
                id: id.into(),
                op: op.into(),
                backend: backend.into(),
                precision: "f32".into(),
                ..row()
            };
            assert_eq!(row.variant(), variant, "{id}");
        }
    }
}
