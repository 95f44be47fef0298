//! One file per rule: what it demands, the check, and its tests.

use super::Context;
use crate::finding::{Finding, Rule};

mod ambiguous;
mod archs;
mod backend_op;
mod contract_differs;
mod contract_missing;
mod device_source;
mod duplicate_id;
mod exact_precision;
mod function_missing;
mod ggml_facts;
mod id_fields;
mod id_grammar;
mod labels;
mod level_folder;
mod nondet_bitwise;
mod op_accumulate;
mod portable_missing;
mod ptx_stale;
mod receipt_differs;
mod receipt_missing;
mod receipt_stale;
mod row_count;
mod selector;
mod signature;
mod source_missing;
mod source_uncompiled;
mod source_unregistered;
mod target_feature;
#[cfg(test)]
mod testing;
mod tolerance;
mod unknown_feature;

/// A rule's check: adds what it finds.
pub type Check = fn(&Context<'_>, &mut Vec<Finding>);

/// Every rule and its check: those of the registry alone first, then sources, contracts, receipts.
pub static ALL: &[(&Rule, Check)] = &[
    (&row_count::RULE, row_count::check),
    (&id_grammar::RULE, id_grammar::check),
    (&id_fields::RULE, id_fields::check),
    (&duplicate_id::RULE, duplicate_id::check),
    (&ambiguous::RULE, ambiguous::check),
    (&portable_missing::RULE, portable_missing::check),
    (&backend_op::RULE, backend_op::check),
    (&ggml_facts::RULE, ggml_facts::check),
    (&exact_precision::RULE, exact_precision::check),
    (&nondet_bitwise::RULE, nondet_bitwise::check),
    (&op_accumulate::RULE, op_accumulate::check),
    (&labels::RULE, labels::check),
    (&archs::RULE, archs::check),
    (&selector::RULE, selector::check),
    (&level_folder::RULE, level_folder::check),
    (&unknown_feature::RULE, unknown_feature::check),
    (&source_missing::RULE, source_missing::check),
    (&source_uncompiled::RULE, source_uncompiled::check),
    (&function_missing::RULE, function_missing::check),
    (&signature::RULE, signature::check),
    (&target_feature::RULE, target_feature::check),
    (&source_unregistered::RULE, source_unregistered::check),
    (&device_source::RULE, device_source::check),
    (&ptx_stale::RULE, ptx_stale::check),
    (&contract_missing::RULE, contract_missing::check),
    (&contract_differs::RULE, contract_differs::check),
    (&tolerance::RULE, tolerance::check),
    (&receipt_missing::RULE, receipt_missing::check),
    (&receipt_differs::RULE, receipt_differs::check),
    (&receipt_stale::RULE, receipt_stale::check),
];
