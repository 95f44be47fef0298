//! Readiness, labels and dispatch traces: questions about the whole registry.

use proc_macro2::TokenStream;
use quote::quote;

use super::admit::kernel_ids;
use super::text::{doc, ident, number};
use crate::plan::Plan;
use crate::vocabulary::{BACKEND, KERNEL_OP, OP_OP, Term};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let (readiness, products, labels) = (readiness(), products(plan), labels());
    let cells = op_cells(plan);
    quote! { #readiness #products #cells #labels }
}

fn readiness() -> TokenStream {
    let docs = doc("\
Which row would serve each tensor of a model and each op of its family on `target`, or every refusal at once. Needs no
weight byte: names, type ids and shapes come from the file's header.

`family` is GGUF's `general.architecture`; `None` charges the model with every op row of the backend. A registry says
what exists, not what a model computes: an op that the backend lacks altogether cannot be refused here.");
    quote! {
        #[doc = " The answer of [`plan`]."]
        pub type Plan = ::kreg_kernels::registry::Plan<KernelId>;

        #docs
        pub fn plan(backend: Backend, family: Option<&str>, tensors: &[Tensor<'_>], target: &Target) -> Plan {
            let ops = OP_CELLS.iter().filter(|cell| cell.0 == backend).filter_map(|&(_, name, rows)| {
                let mut serving = rows.iter().filter(|id| id.row().serves_family(family)).peekable();
                serving.peek()?;
                let fit = serving.find(|id| id.row().fits(target)).copied();
                let refusal = || Refusal::NoRowForTarget { cell: name, target: target.to_string() };
                Some((name, fit.ok_or_else(refusal)))
            });
            ::kreg_kernels::registry::plan(tensors, |t| serve(backend, t, target), ops)
        }

        #[doc = " The row of one tensor, shape included."]
        fn serve(backend: Backend, tensor: &Tensor<'_>, target: &Target) -> Result<KernelId, Refusal> {
            let qtype = QType::from_ggml(tensor.ggml_type)?;
            let path = admit(backend.product(), backend, qtype)?;
            tensor.check_shape(qtype.cols_multiple())?;
            path.select(target)
        }
    }
}

/// Which op a backend's products with weights are.
fn products(plan: &Plan<'_>) -> TokenStream {
    let arms = BACKEND.terms.iter().map(|b| {
        let has_row = |op: &&Term| plan.cells.keys().any(|c| c.backend == b.name && c.op == op.name);
        // Where no row says so: the schema's convention, matvec on the cpu and gemv on devices.
        let usual = &KERNEL_OP.terms[usize::from(b.name != "cpu")];
        let op = KERNEL_OP.terms.iter().find(has_row).unwrap_or(usual);
        let (b, op) = (ident(b.variant), ident(op.variant));
        quote!(Self::#b => Op::#op)
    });
    quote! {
        impl Backend {
            #[doc = " The op that multiplies by a weight matrix on this backend."]
            pub const fn product(self) -> Op {
                match self { #(#arms),* }
            }
        }
    }
}

fn op_cells(plan: &Plan<'_>) -> TokenStream {
    let cells: Vec<_> = plan.cells.iter().filter(|(c, _)| OP_OP.get(c.op).is_some()).collect();
    let count = number(cells.len());
    let cells = cells.into_iter().map(|(cell, rows)| {
        let (name, ids) = (cell.name(), kernel_ids(plan, rows));
        let backend = ident(plan.rows[rows[0]].backend.variant);
        quote!((Backend::#backend, #name, &[#(#ids),*]))
    });
    quote! {
        #[doc = " Every op cell: backend, name, rows most specific first."]
        const OP_CELLS: [(Backend, &str, &[KernelId]); #count] = [#(#cells),*];
    }
}

fn labels() -> TokenStream {
    quote! {
        #[doc = " The row that another tool calls `label` (`<kernel>@<quant>`) on this backend."]
        pub fn kernel_by_label(backend: Backend, label: &str) -> Option<KernelId> {
            TABLE.find_label(backend.name(), label).map(|i| KernelId::ALL[i])
        }

        #[doc = " The keys of a dispatch trace that are no row's id, sorted, each once. Empty means clean. Matching is exact"]
        #[doc = " and case-sensitive; a label is not an id."]
        pub fn unregistered_dispatches<'t>(trace: impl IntoIterator<Item = &'t str>) -> Vec<&'t str> {
            TABLE.unregistered(trace)
        }
    }
}
