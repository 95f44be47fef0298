//! `cpu`: dispatch to the kernels of the cpu backend.

mod call;
mod op;
mod weights;

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

use self::call::Call;
use super::text::{doc, ident};
use crate::load::sources::Sources;
use crate::plan::{Cell, Plan};
use crate::vocabulary::OP_OP;

/// The module, or nothing when the registry has no cpu row.
pub(super) fn emit(plan: &Plan<'_>, sources: &Sources) -> Result<TokenStream, Vec<String>> {
    let calls = calls(plan, sources)?;
    if calls.is_empty() {
        return Ok(TokenStream::new());
    }
    let cells: Vec<(&Cell<'_>, &Vec<usize>)> =
        plan.cells.iter().filter(|(c, _)| c.backend == "cpu").collect();
    let (ops, kernels): (Vec<_>, Vec<_>) = cells.into_iter().partition(|(c, _)| OP_OP.get(c.op).is_some());
    let weights = (!kernels.is_empty()).then(|| weights::emit(plan, &calls));
    let erased = weights.as_ref().map(|_| {
        quote!(
            use ::kreg_kernels::{RawMatrix, cpu::MatVec};
        )
    });

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
    let docs = doc("\
The CPU backend: weights bound to a kernel once, and one function per other op, named from the row's id.

Every call checks its arguments before anything is written and returns the row that ran.

Kernels divide their work among the threads of the rayon pool that the caller is in, the global one by default
(`RAYON_NUM_THREADS`, or `ThreadPool::install`); results are the same bits for any number. Run each token's forward pass
inside one [`step`](cpu::step): the workers then stand by between products instead of falling asleep.

Attention reads the current key and value apart from the cache: call it first, then `kv_write` appends them.");
    Ok(quote! {
        #docs
        pub mod cpu {
            use super::*;
            #erased
            use ::kreg_kernels::cpu::check;

            #[doc(inline)]
            pub use ::kreg_kernels::cpu::{Device, step};

            #weights
            #(#plain)*
            #(#variants)*
        }
    })
}

/// How to call the kernel of each cpu row, by the row's position.
fn calls<'s>(plan: &Plan<'_>, sources: &'s Sources) -> Result<BTreeMap<usize, Call<'s>>, Vec<String>> {
    let mut calls = BTreeMap::new();
    let mut missing = Vec::new();
    for (i, entry) in plan.rows.iter().enumerate().filter(|(_, e)| e.row.backend == "cpu") {
        match Call::new(sources, entry.row) {
            Some(call) => _ = calls.insert(i, call),
            None => missing.push(format!(
                "{}: no public function `{}` is compiled from {}",
                entry.row.id, entry.row.source_fn, entry.row.source_file
            )),
        }
    }
    if missing.is_empty() { Ok(calls) } else { Err(missing) }
}
