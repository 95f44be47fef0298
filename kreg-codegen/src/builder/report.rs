//! What a run found, as one value.

use std::fmt::{self, Write};

use super::is_error;
use crate::finding::Finding;

/// Every finding of one run, sorted by place, rule and row. An [`Error`](std::error::Error) when it holds one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    findings: Vec<Finding>,
}

impl Report {
    pub(crate) fn new(mut findings: Vec<Finding>) -> Self {
        findings.sort();
        findings.dedup();
        Self { findings }
    }

    /// All findings.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether something stops the build.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(is_error)
    }

    /// `found 2 errors and 1 warning`.
    pub fn summary(&self) -> String {
        let errors = self.findings.iter().filter(|f| is_error(f)).count();
        let warnings = self.findings.len() - errors;
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        match (errors, warnings) {
            (_, 0) => format!("found {}", count(errors, "error")),
            (0, _) => format!("found {}", count(warnings, "warning")),
            _ => format!("found {} and {}", count(errors, "error"), count(warnings, "warning")),
        }
    }

    /// The findings as a build script prints them. Cargo takes one line at a time, so a figure under a finding is more
    /// lines.
    pub fn directives(&self) -> String {
        let mut out = String::new();
        for finding in &self.findings {
            let kind = if is_error(finding) { "error" } else { "warning" };
            for line in finding.to_string().lines() {
                let _ = writeln!(out, "cargo::{kind}={line}");
            }
        }
        if self.has_errors() {
            let _ = writeln!(out, "cargo::error={}; nothing was written", self.summary());
        }
        out
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{}: {finding}", if is_error(finding) { "error" } else { "warning" })?;
        }
        f.write_str(&self.summary())
    }
}

impl std::error::Error for Report {}
