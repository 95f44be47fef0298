//! A receipt holds for the text that was measured: another source or row needs another measurement.

use crate::check::Context;
use crate::digest;
use crate::finding::{Finding, Rule};

pub(super) static RULE: Rule = Rule {
    id: "receipt-stale",
    summary: "Source and row are as they were when the receipt was measured.",
    fix: "measure {id} again and commit the new {tolerance}",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (row, receipt) in context.receipts() {
        let set = &receipt.input_set;
        let source = context.sources.and_then(|s| s.file(&row.source_file));
        let source = source.map_or_else(|| set.source_sha256.clone(), |file| digest::source(&file.text));
        let changed = [
            ("input_set_hash", receipt.input_set_hash == digest::input_set(set)),
            ("source_sha256", set.source_sha256 == source),
            ("row_sha256", set.row_sha256 == digest::row(row)),
        ];
        let changed: Vec<_> = changed.iter().filter(|(_, same)| !same).map(|(name, _)| *name).collect();
        if changed.is_empty() {
            continue;
        }
        let cause = format!("changed since it was measured: {}", changed.join(", "));
        findings.push(if context.deny_stale {
            context.error(&RULE, row, cause)
        } else {
            context.warning(&RULE, row, cause)
        });
    }
}
