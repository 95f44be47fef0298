//! The drift rules: each compares the registry with itself, the sources, the contracts or the receipts. One rule a
//! file, in [`rules`](mod@rules); all of them run, whatever the others found.

mod context;
mod levels;
pub mod rules;
mod signatures;

pub use context::Context;

use crate::finding::{Finding, Rule};
use crate::{builder, load, plan};

/// Runs every rule. Findings are sorted by place, rule and row.
pub fn run(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (_, check) in rules::ALL {
        check(context, &mut findings);
    }
    findings.sort();
    findings
}

/// Every rule that can be reported, those of loading first.
pub fn rules() -> Vec<&'static Rule> {
    builder::RULES
        .into_iter()
        .chain([&plan::RULE])
        .chain(load::registry::RULES)
        .chain(load::sources::RULES)
        .chain(rules::ALL.iter().map(|(rule, _)| *rule))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_own_id_and_says_what_holds() {
        let rules = rules();
        let ids: std::collections::BTreeSet<_> = rules.iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), rules.len());
        // Those of loading, and all of `rules::ALL`.
        assert!(ids.contains("registry-file") && ids.contains("plan") && rules.len() > rules::ALL.len());
        for rule in rules {
            assert!(rule.summary.ends_with('.') && !rule.fix.is_empty(), "{}", rule.id);
        }
    }
}
