//! One file per rule: what it demands, the check, and its tests.

use super::Context;
use crate::finding::{Finding, Rule};

mod nondet_bitwise;
mod receipt_stale;

/// A rule's check: adds what it finds.
pub type Check = fn(&Context<'_>, &mut Vec<Finding>);

/// Every rule and its check.
pub static ALL: &[(&Rule, Check)] =
    &[(&nondet_bitwise::RULE, nondet_bitwise::check), (&receipt_stale::RULE, receipt_stale::check)];
