//! What the rules look at.

use crate::finding::{Finding, Place, Rule, Severity};
use crate::load::contract::Contracts;
use crate::load::receipt::{Receipt, Receipts};
use crate::load::sources::Sources;
use crate::model::{Registry, Row};

/// Everything that a check compares. A part that is `None` was not loaded, and the rules about it say nothing.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The registry.
    pub registry: &'a Registry,
    /// The kernel crates' sources.
    pub sources: Option<&'a Sources>,
    /// The contracts that rows cite.
    pub contracts: Option<&'a Contracts>,
    /// The receipts that rows name.
    pub receipts: Option<&'a Receipts>,
    /// The path under which users reach the generated module, such as `kreg`; selectors start with it.
    pub module: Option<&'a str>,
    /// Whether the registry may leave out kernels of crates other than the one that includes the module.
    pub partial: bool,
    /// Whether a stale receipt is an error instead of a warning.
    pub deny_stale: bool,
}

impl<'a> Context<'a> {
    /// A context with the registry alone.
    pub fn new(registry: &'a Registry) -> Self {
        Self {
            registry,
            sources: None,
            contracts: None,
            receipts: None,
            module: None,
            partial: false,
            deny_stale: false,
        }
    }

    /// The rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &'a Row> + use<'a> {
        self.registry.rows.iter()
    }

    /// Each row whose receipt could be read, with the receipt.
    pub(crate) fn receipts(&self) -> impl Iterator<Item = (&'a Row, &'a Receipt)> + use<'a> {
        let receipts = self.receipts;
        self.rows().filter_map(move |row| Some((row, receipts?.get(row.receipt()?)?.as_ref().ok()?)))
    }

    /// An error about a row. `{id}`, `{file}`, `{fn}`, `{contract}` and `{tolerance}` in the rule's fix become the row's.
    pub(crate) fn error(&self, rule: &Rule, row: &Row, cause: impl Into<String>) -> Finding {
        let mut finding = rule.error(self.place(row.line), &row.id, cause);
        for (name, value) in [
            ("{id}", &row.id),
            ("{file}", &row.source_file),
            ("{fn}", &row.source_fn),
            ("{contract}", &row.contract),
            ("{tolerance}", &row.tolerance),
        ] {
            if finding.fix.contains(name) {
                finding.fix = finding.fix.replace(name, value);
            }
        }
        finding
    }

    /// As [`Context::error`], and the build goes on.
    pub(crate) fn warning(&self, rule: &Rule, row: &Row, cause: impl Into<String>) -> Finding {
        Finding { severity: Severity::Warning, ..self.error(rule, row, cause) }
    }

    /// A line of the registry.
    pub(crate) fn place(&self, line: usize) -> Place {
        Place { file: self.registry.name.clone(), line }
    }
}
