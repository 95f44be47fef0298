//! The registry as the emitters want it: rows in order, weight types in order, and the dispatch cells with their
//! candidate rows, most specific first. Pure: no file is read, and the same registry gives the same plan.

mod name;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Finding, Place, Rule};
use crate::model::{Registry, Row, Weight};
use crate::vocabulary::{self, Set, Term};

/// What a registry must have to become a module at all.
pub static RULE: Rule = Rule {
    id: "plan",
    summary: "The registry has a row, and every value that becomes an enum variant lies in its closed set.",
    fix: "correct the registry; the checks that run before this one say more",
};

/// Everything that the generated module is made from, sorted.
#[derive(Debug)]
pub struct Plan<'r> {
    /// File name of the registry, for messages and headers.
    pub registry: &'r str,
    /// Rows by id: a row's position is its `KernelId`.
    pub rows: Vec<Entry<'r>>,
    /// Weight types by GGML id.
    pub qtypes: Vec<&'r Weight>,
    /// Every cell that has a row, and the positions of its candidates, most specific first.
    pub cells: BTreeMap<Cell<'r>, Vec<usize>>,
}

/// What one dispatch decides on: rows of one cell differ in the machine that they need, in nothing that a caller sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell<'r> {
    /// Backend, registry spelling.
    pub backend: &'r str,
    /// Op, registry spelling.
    pub op: &'r str,
    /// The weight type of a kernel cell, the variant of an op cell (empty for none).
    pub part: &'r str,
}

/// A row, its `KernelId` variant, and its closed-set fields resolved.
#[derive(Debug)]
pub struct Entry<'r> {
    /// The row.
    pub row: &'r Row,
    /// Variant of the generated `KernelId`.
    pub variant: String,
    /// `op`.
    pub op: &'static Term,
    /// `backend`.
    pub backend: &'static Term,
    /// `accumulate`.
    pub accumulate: &'static Term,
    /// `precision`.
    pub precision: &'static Term,
    /// `error_model`.
    pub error_model: &'static Term,
    /// `determinism`.
    pub determinism: &'static Term,
    /// `shape_class`.
    pub shape_class: &'static Term,
}

impl<'r> Plan<'r> {
    /// Sorts a registry.
    ///
    /// # Errors
    /// A finding for each value outside its closed set, and one when there is no row at all. A registry that has passed
    /// the checks has neither.
    pub fn new(registry: &'r Registry) -> Result<Self, Vec<Finding>> {
        let mut sorted: Vec<&Row> = registry.rows.iter().collect();
        sorted.sort_by(|a, b| a.id.cmp(&b.id));
        let mut taken = BTreeSet::new();
        let mut rows = Vec::with_capacity(sorted.len());
        let mut findings = Vec::new();
        for row in sorted {
            match Entry::new(row, &registry.name, &mut taken) {
                Ok(entry) => rows.push(entry),
                Err(finding) => findings.push(*finding),
            }
        }
        if registry.rows.is_empty() {
            let at = Place { file: registry.name.clone(), line: 0 };
            findings.push(RULE.error(at, "", "the registry has no row"));
        }
        if !findings.is_empty() {
            return Err(findings);
        }

        let weights = rows.iter().filter_map(|e| e.row.weight.as_ref());
        let qtypes = weights.map(|w| ((w.ggml_type, &w.qtype), w)).collect::<BTreeMap<_, _>>();

        let mut cells: BTreeMap<Cell<'r>, Vec<usize>> = BTreeMap::new();
        for (i, entry) in rows.iter().enumerate() {
            cells.entry(Cell::of(entry.row)).or_default().push(i);
        }
        for candidates in cells.values_mut() {
            candidates.sort_by_key(|&i| (Reverse(specificity(rows[i].row)), i));
        }
        Ok(Self { registry: &registry.name, rows, qtypes: qtypes.into_values().collect(), cells })
    }

    /// The candidates of a cell, most specific first; empty when the registry has no row for it.
    pub fn candidates<'p>(&'p self, backend: &'p str, op: &'p str, part: &'p str) -> &'p [usize] {
        self.cells.get(&Cell { backend, op, part }).map_or(&[], Vec::as_slice)
    }

    /// `backend.op` of every cell that serves this weight type.
    pub fn served_by(&self, qtype: &str) -> Vec<String> {
        let kernels = self.cells.keys().filter(|c| vocabulary::KERNEL_OP.get(c.op).is_some());
        kernels.filter(|c| c.part == qtype).map(|c| format!("{}.{}", c.backend, c.op)).collect()
    }
}

impl<'r> Cell<'r> {
    /// The cell that a row competes in.
    pub fn of(row: &'r Row) -> Self {
        let (backend, op, part) = row.cell();
        Self { backend, op, part }
    }

    /// `cpu.matvec.q4_k`, `cpu.rmsnorm`, `cuda.rope.neox`.
    pub fn name(&self) -> String {
        match self.part {
            "" => format!("{}.{}", self.backend, self.op),
            part => format!("{}.{}.{}", self.backend, self.op, part.to_ascii_lowercase()),
        }
    }
}

impl<'r> Entry<'r> {
    fn new(row: &'r Row, registry: &str, taken: &mut BTreeSet<String>) -> Result<Self, Box<Finding>> {
        let term = |set: &'static Set, value: &str| {
            set.get(value).ok_or_else(|| {
                let cause = format!("{} `{value}` is not one of: {}", set.field, set.names());
                Box::new(RULE.error(Place { file: registry.into(), line: row.line }, &row.id, cause))
            })
        };
        let ops = if row.weight.is_some() { &vocabulary::KERNEL_OP } else { &vocabulary::OP_OP };
        let backend = term(&vocabulary::BACKEND, &row.backend)?;
        Ok(Self {
            variant: name::unique(name::variant(row, backend), taken),
            op: term(ops, &row.op)?,
            accumulate: term(&vocabulary::ACCUMULATE, &row.accumulate)?,
            precision: term(&vocabulary::PRECISION, &row.precision)?,
            error_model: term(&vocabulary::ERROR_MODEL, &row.error_model)?,
            determinism: term(&vocabulary::DETERMINISM, &row.determinism)?,
            shape_class: term(&vocabulary::SHAPE_CLASS, &row.shape_class)?,
            backend,
            row,
        })
    }

    /// Whether the row serves every machine of its backend.
    pub fn is_baseline(&self) -> bool {
        specificity(self.row) == (false, 0)
    }
}

/// A named architecture beats `any`, then more required features win.
fn specificity(row: &Row) -> (bool, usize) {
    (row.arch != "any", row.isa_features.len() + row.requires.len())
}

#[cfg(test)]
mod tests;
