//! A row cites a contract that can be read.

use std::collections::BTreeMap;

use crate::check::Context;
use crate::finding::{Finding, Rule};
use crate::load::contract::Contracts;
use crate::model::Row;

pub(super) static RULE: Rule = Rule {
    id: "contract-missing",
    summary: "`contract` names a file that is a contract: known keys, known ops, its own name.",
    fix: "write or correct {contract}; another file of contracts/ shows the form",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(contracts) = context.contracts else { return };
    let mut cited: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in context.rows() {
        cited.entry(&row.contract).or_default().push(row);
    }
    for (path, rows) in cited {
        if let Some(cause) = cause(contracts, path) {
            let more = rows.len() - 1;
            let others = if more > 0 { format!(" (cited by {more} more)") } else { String::new() };
            findings.push(context.error(&RULE, rows[0], format!("{path} {cause}{others}")));
        }
    }
}

fn cause(contracts: &Contracts, path: &str) -> Option<String> {
    match contracts.get(path) {
        None => Some("does not exist".into()),
        Some(Err(reason)) => Some(format!("cannot be read: {reason}")),
        Some(Ok(contract)) => {
            let named = path == format!("contracts/{}.yaml", contract.contract);
            (!named).then(|| format!("calls itself {}", contract.contract))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit, expect};
    use super::*;

    #[test]
    fn it_must_exist_and_be_a_contract() {
        let (tensor, gelu) = ("contracts/tensor-layout-v1.yaml", "contracts/gelu-kernel-v1.yaml");
        expect(
            &RULE,
            &[
                (
                    vec![Edit::Remove(tensor)],
                    &[
                        "[contract-missing] registry.json:3 row cpu.matvec.q4_1: contracts/tensor-layout-v1.yaml \
                         does not exist (cited by 1 more); fix: write or correct \
                         contracts/tensor-layout-v1.yaml; another file of contracts/ shows the form",
                    ],
                ),
                (
                    vec![Edit::File(gelu, "contract: gelu-kernel-v1", "contract: gelu")],
                    &["[contract-missing] registry.json:7 row cpu.gelu.f32: contracts/gelu-kernel-v1.yaml \
                       calls itself gelu; fix: write or correct contracts/gelu-kernel-v1.yaml; another file of \
                       contracts/ shows the form"],
                ),
                (
                    vec![Edit::File(gelu, "    formula:", "    formulae:")],
                    &["[contract-missing] registry.json:7 row cpu.gelu.f32: contracts/gelu-kernel-v1.yaml \
                       cannot be read: unknown field `formulae`, expected one of error_model, determinism, \
                       formula, domain, shapes, layout, bad_input, invariants, notes at line 7, column 5; fix: write or correct \
                       contracts/gelu-kernel-v1.yaml; another file of contracts/ shows the form"],
                ),
                (
                    vec![Edit::File(gelu, "  gelu:", "  gelu_erf:")],
                    &["[contract-missing] registry.json:7 row cpu.gelu.f32: contracts/gelu-kernel-v1.yaml \
                       cannot be read: \"gelu_erf\" under `ops` is no op; fix: write or correct \
                       contracts/gelu-kernel-v1.yaml; another file of contracts/ shows the form"],
                ),
                (
                    vec![Edit::File(gelu, "    determinism: bounded\n", "")],
                    &["[contract-missing] registry.json:7 row cpu.gelu.f32: contracts/gelu-kernel-v1.yaml \
                       cannot be read: missing field `determinism` at line 9, column 5; fix: write or correct \
                       contracts/gelu-kernel-v1.yaml; another file of contracts/ shows the form"],
                ),
                (
                    vec![Edit::File(gelu, "ops:", "ops: [")],
                    &["[contract-missing] registry.json:7 row cpu.gelu.f32: contracts/gelu-kernel-v1.yaml \
                       cannot be read: expected mapping start at line 3, column 6; fix: write or correct \
                       contracts/gelu-kernel-v1.yaml; another file of contracts/ shows the form"],
                ),
                (
                    vec![Edit::File(gelu, "ops:", "author: me\nops:")],
                    &["[contract-missing] registry.json:7 row cpu.gelu.f32: contracts/gelu-kernel-v1.yaml \
                       cannot be read: unknown field `author`, expected one of contract, summary, ops, \
                       invariants, checks at line 3, column 1; fix: write or correct contracts/gelu-kernel-v1.yaml; another file of \
                       contracts/ shows the form"],
                ),
            ],
        );
    }
}
