//! One registry row as data.

use crate::target::{Features, Target};

/// One row of a registry: one kernel that a selector can reach. Field meanings are the registry's
/// (`docs/architecture.md`); a missing `qtype` makes it an op row.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Stable id, `<backend>.<op>.<qtype or variant.precision>[.<arch>[.<isa>]]`.
    pub id: &'static str,
    /// Backend name.
    pub backend: &'static str,
    /// Op name.
    pub op: &'static str,
    /// Weight type of a kernel row, `None` for an op row.
    pub qtype: Option<&'static str>,
    /// Architecture, or `any`.
    pub arch: &'static str,
    /// Instruction sets that the row needs.
    pub isa_features: Features,
    /// Device features that the row needs beyond its backend.
    pub requires: Features,
    /// Inner accumulator.
    pub accumulate: &'static str,
    /// Precision of the activations inside the kernel.
    pub precision: &'static str,
    /// Error model that bounds the result.
    pub error_model: &'static str,
    /// `bitwise` or `bounded`.
    pub determinism: &'static str,
    /// `m1` or `m_any`.
    pub shape_class: &'static str,
    /// Path of the receipt, or `unmeasured`.
    pub tolerance: &'static str,
    /// Path of the contract.
    pub contract: &'static str,
    /// Model families that the row serves; empty means every family.
    pub archs: &'static [&'static str],
    /// Foreign names of the row.
    pub labels: &'static [&'static str],
}

impl Row {
    /// Whether this row can serve `target`: arch, instruction sets, device features, and precision when the target is
    /// exact.
    pub const fn fits(&self, target: &Target) -> bool {
        (is(self.arch, "any") || is(self.arch, target.arch()))
            && target.offers().contains(self.isa_features)
            && target.offers().contains(self.requires)
            && (!target.is_exact() || self.qtype.is_none() || is(self.precision, "f32"))
    }

    /// Whether a model of this family (GGUF `general.architecture`) needs or may use the row. An unknown family is
    /// charged with every row.
    pub fn serves_family(&self, family: Option<&str>) -> bool {
        self.archs.is_empty() || family.is_none_or(|f| self.archs.contains(&f))
    }
}

/// `str` equality in const context.
const fn is(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// A generated registry as data, for what works on any registry.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Every row, sorted by id. Positions are the generated `KernelId`'s discriminants.
    pub rows: &'static [Row],
}

impl Table {
    /// Position of the row with this id: exact and case-sensitive.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.rows.binary_search_by(|row| row.id.cmp(id)).ok()
    }

    /// Position of the row that another tool calls `label` on `backend`.
    pub fn find_label(&self, backend: &str, label: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.backend == backend && row.labels.contains(&label))
    }

    /// The keys of a dispatch trace that are no row's id, sorted, each once. Empty means that everything that ran was
    /// registered. A label is not an id.
    pub fn unregistered<'t>(&self, trace: impl IntoIterator<Item = &'t str>) -> Vec<&'t str> {
        let mut unknown: Vec<&str> = trace.into_iter().filter(|id| self.find(id).is_none()).collect();
        unknown.sort_unstable();
        unknown.dedup();
        unknown
    }
}
