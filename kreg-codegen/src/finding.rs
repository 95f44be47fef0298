//! What a check reports.

use std::fmt;

/// One disagreement between the registry and what it describes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where: file and line, such as `registry.json:42`.
    pub at: Place,
    /// Id of the rule that found it.
    pub rule: &'static str,
    /// Id of the row, empty for the document as a whole.
    pub row: String,
    /// What disagrees; lines after the first are a figure, shown last.
    pub cause: String,
    /// What to type or change next.
    pub fix: String,
    /// Whether the build goes on.
    pub severity: Severity,
}

/// A file and a line in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// File name as it should be shown.
    pub file: String,
    /// Line from 1; 0 when the whole file is meant.
    pub line: usize,
}

/// Whether a finding stops the build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is written.
    Error,
    /// Reported, and the build goes on.
    Warning,
}

/// A rule as people read about it; what checks it lies beside its definition.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable id, shown in brackets.
    pub id: &'static str,
    /// What holds when the rule is kept, in one line.
    pub summary: &'static str,
    /// What to type or change when it is not.
    pub fix: &'static str,
}

impl Rule {
    /// An error under this rule.
    pub fn error(&self, at: Place, row: impl Into<String>, cause: impl Into<String>) -> Finding {
        let (row, cause, fix) = (row.into(), cause.into(), self.fix.into());
        Finding { at, rule: self.id, row, cause, fix, severity: Severity::Error }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.rule, self.at)?;
        if !self.row.is_empty() {
            write!(f, " row {}", self.row.escape_debug())?;
        }
        match self.cause.split_once('\n') {
            Some((cause, figure)) => write!(f, ": {cause}; fix: {}\n{figure}", self.fix),
            None => write!(f, ": {}; fix: {}", self.cause, self.fix),
        }
    }
}
