//! Generated ids are 16 bits wide.

use crate::check::Context;
use crate::finding::{Finding, Rule};

/// Rows that a registry can have.
const LIMIT: usize = 65_535;

pub(super) static RULE: Rule = Rule {
    id: "row-count",
    summary: "A registry has at most 65535 rows.",
    fix: "split the registry: each one generates its own module",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let count = context.registry.rows.len();
    if count > LIMIT {
        findings.push(RULE.error(context.place(0), "", format!("{count} rows, where {LIMIT} are possible")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Registry, tests::row};

    #[test]
    fn one_row_too_many() {
        let mut registry = Registry { name: "registry.json".into(), rows: vec![row(); LIMIT], unread: 0 };
        let mut findings = Vec::new();
        check(&Context::new(&registry), &mut findings);
        assert_eq!(findings, []);
        registry.rows.push(row());
        check(&Context::new(&registry), &mut findings);
        assert_eq!(
            findings[0].to_string(),
            "[row-count] registry.json: 65536 rows, where 65535 are possible; fix: split the registry: each one \
             generates its own module"
        );
    }
}
