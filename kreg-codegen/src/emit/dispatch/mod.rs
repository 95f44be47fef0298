//! The module of one backend: dispatch to its kernels. What is alike on all of them is here; a [`Backend`] says the rest,
//! one file each (`cpu`, `cuda`, …).

mod call;
mod op;
mod weights;

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

pub(super) use self::call::Call;
pub(super) use self::weights::Weights;
use super::admit::any_of;
use super::text::{comment, doc, ident};
use crate::load::sources::Sources;
use crate::plan::{Cell, Plan};
use crate::vocabulary::OP_OP;

/// How to call the kernel of each row of a backend, by the row's position.
pub(super) type Calls<'s> = BTreeMap<usize, Call<'s>>;

/// What tells one backend's module from another's.
pub(super) struct Backend {
    /// Registry spelling, and the module's name.
    pub(super) name: &'static str,
    /// Attributes of the module, such as the feature that it needs.
    pub(super) attributes: TokenStream,
    /// The module's docs.
    pub(super) docs: &'static str,
    /// What the module imports and exports.
    pub(super) imports: TokenStream,
    /// Argument types that the imports name; others are looked for in `args`.
    pub(super) types: &'static [&'static str],
    /// How weights are bound and multiplied.
    pub(super) weights: Weights,
    /// Further items, from all calls.
    pub(super) extra: fn(&Plan<'_>, &Sources, &Calls<'_>) -> TokenStream,
}

/// The module, or nothing when the registry has no row of the backend.
pub(super) fn emit(
    backend: &Backend,
    plan: &Plan<'_>,
    sources: &Sources,
) -> Result<TokenStream, Vec<String>> {
    let calls = calls(backend.name, backend.types, plan, sources)?;
    if calls.is_empty() {
        return Ok(TokenStream::new());
    }
    let cells: Vec<(&Cell<'_>, &Vec<usize>)> =
        plan.cells.iter().filter(|(c, _)| c.backend == backend.name).collect();
    let (ops, kernels): (Vec<_>, Vec<_>) = cells.into_iter().partition(|(c, _)| OP_OP.get(c.op).is_some());
    let weights = (!kernels.is_empty()).then(|| weights::emit(backend, plan, &calls));
    let weight_imports = weights.as_ref().map(|_| &backend.weights.imports);

    let plain =
        ops.iter().filter(|(c, _)| c.part.is_empty()).map(|(c, rows)| op::emit(plan, &calls, c, rows));
    let mut variants: BTreeMap<&str, Vec<TokenStream>> = BTreeMap::new();
    for (cell, rows) in ops.iter().filter(|(c, _)| !c.part.is_empty()) {
        variants.entry(cell.op).or_default().push(op::emit(plan, &calls, cell, rows));
    }
    let variants = variants.into_iter().map(|(op, functions)| {
        let docs = doc(&format!("Variants of `{op}`."));
        let op = ident(op);
        quote! {
            #docs
            pub mod #op {
                use super::*;

                #(#functions)*
            }
        }
    });
    let Backend { name, attributes, docs, imports, extra, .. } = backend;
    let (name, docs, extra) = (ident(name), doc(docs), extra(plan, sources, &calls));
    Ok(quote! {
        #docs
        #attributes
        pub mod #name {
            use super::*;
            #weight_imports
            #imports

            #weights
            #(#plain)*
            #(#variants)*
            #extra
        }
    })
}

/// How to call the kernel of every row of the backend `name`. `types` are the argument types that its module names.
///
/// # Errors
/// One sentence per row whose kernel is not in the sources.
pub(super) fn calls<'s>(
    name: &str,
    types: &'static [&'static str],
    plan: &Plan<'_>,
    sources: &'s Sources,
) -> Result<Calls<'s>, Vec<String>> {
    let mut calls = BTreeMap::new();
    let mut missing = Vec::new();
    for (i, entry) in plan.rows.iter().enumerate().filter(|(_, e)| e.row.backend == name) {
        match Call::new(types, sources, entry.row) {
            Some(call) => _ = calls.insert(i, call),
            None => missing.push(format!(
                "{}: no public function `{}` is compiled from {}",
                entry.row.id, entry.row.source_fn, entry.row.source_file
            )),
        }
    }
    if missing.is_empty() { Ok(calls) } else { Err(missing) }
}

/// The arm of a match over all rows for those that no path of the backend `name` leads to, if there are any.
pub(super) fn unreached(plan: &Plan<'_>, name: &str, rows: &[usize]) -> Option<TokenStream> {
    (!rows.is_empty()).then(|| {
        let (note, ids) = (comment("Rows that no path of this backend leads to."), any_of(plan, rows));
        quote! {
            #note
            #ids => return Err(Refusal::WrongBackend { called: #name, path: kernel.backend().name() })
        }
    })
}
