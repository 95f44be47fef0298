//! One function per op cell: check, select, call.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::text::{code_list, comment, doc, ident};
use super::Calls;
use super::call::Call;
use crate::plan::{Cell, Plan};

pub(super) fn emit(plan: &Plan<'_>, calls: &Calls<'_>, cell: &Cell<'_>, rows: &[usize]) -> TokenStream {
    // All rows of a cell have the op's signature: a drift rule sees to it.
    let signature = &calls[&rows[rows.len() - 1]];
    let (names, types): (Vec<_>, Vec<_>) = signature.inputs().into_iter().unzip();
    let op = ident(cell.op);
    let function = if cell.part.is_empty() { op.clone() } else { ident(cell.part) };
    let check = (!signature.refuses()).then(|| {
        let checked = signature.checked();
        let variant = (!cell.part.is_empty()).then(|| quote!(::#function));
        quote!(check::#op #variant (#(#checked),*)?;)
    });
    let result = match signature.output() {
        Some(ty) => quote!((#ty, KernelId)),
        None => quote!(KernelId),
    };
    let docs = docs(plan, cell, rows, signature);
    let body = body(plan, calls, cell, rows);
    quote! {
        #docs
        #[allow(clippy::too_many_arguments, reason = "the kernel's own signature")]
        pub fn #function(device: &Device, #(#names: #types),*) -> Result<#result, Refusal> {
            #check
            #body
        }
    }
}

/// The rows in order of specificity, the first that fits is called.
fn body(plan: &Plan<'_>, calls: &Calls<'_>, cell: &Cell<'_>, rows: &[usize]) -> TokenStream {
    let mut out = TokenStream::new();
    for &i in rows {
        let (entry, call) = (&plan.rows[i], &calls[&i]);
        let (id, row_id) = (ident(&entry.variant), comment(&entry.row.id));
        let (safety, cfg) = (call.safety(), call.cfg());
        let arguments: Vec<_> = call.inputs().into_iter().map(|(name, _)| quote!(#name)).collect();
        let invoke = call.with(&arguments);
        let (invoke, result) = match call.output() {
            Some(_) => (quote!(#safety let value = #invoke;), quote!(Ok((value, KernelId::#id)))),
            None => (quote!(#safety #invoke;), quote!(Ok(KernelId::#id))),
        };
        if entry.is_baseline() {
            let proof = (rows.len() == 1).then(|| quote!(let _ = device;));
            out.extend(quote!(#row_id #proof #invoke #result));
            return out;
        }
        out.extend(quote! {
            #row_id
            #cfg
            if KernelId::#id.row().fits(device.target()) {
                #invoke
                return #result;
            }
        });
    }
    let name = cell.name();
    out.extend(quote!(Err(Refusal::NoRowForTarget { cell: #name, target: device.target().to_string() })));
    out
}

fn docs(plan: &Plan<'_>, cell: &Cell<'_>, rows: &[usize], call: &Call<'_>) -> TokenStream {
    let first = &plan.rows[rows[0]];
    let ids = code_list(rows.iter().map(|&i| &plan.rows[i].row.id));
    let errors = if call.refuses() {
        "Those of the kernel: nothing has been enqueued or written then.".into()
    } else {
        let variant = if cell.part.is_empty() { String::new() } else { format!("::{}", cell.part) };
        let check = format!("kreg_kernels::{}::check::{}{variant}", cell.backend, cell.op);
        format!("Those of [`check`]({check}): nothing has been written then.")
    };
    doc(&format!(
        "{}\n\nArguments after the device are those of [the kernel]({kernel}), which says what they mean.\n\
         Rows, most specific first: {ids}; contract `{}`.\n\n\
         # Errors\n{errors}",
        first.op.doc,
        first.row.contract,
        kernel = call.link(),
    ))
}
