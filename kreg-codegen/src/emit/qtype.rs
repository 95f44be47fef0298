//! `QType`: the weight types that have a row, and the three ways in which an id can fail to be one.

use proc_macro2::TokenStream;
use quote::quote;

use super::closed::{self, EXHAUSTIVE};
use super::text::{doc, ident, number, table};
use crate::facts;
use crate::plan::Plan;

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let terms: Vec<(&str, &str, String)> = plan
        .qtypes
        .iter()
        .map(|w| {
            let served = plan.served_by(&w.qtype).join(", ");
            let doc =
                format!("GGML type {}, {} weights a block; served by {served}.", w.ggml_type, w.block_elems);
            (w.qtype.as_str(), w.qtype.as_str(), doc)
        })
        .collect();
    let docs = format!("A weight type that has at least one row, by GGML id.\n\n{EXHAUSTIVE}");
    let qtype = closed::exhaustive("QType", &docs, &terms);
    let facts = facts(plan);
    let from_ggml = from_ggml(plan);
    quote! {
        #qtype
        impl QType { #facts #from_ggml }
    }
}

fn facts(plan: &Plan<'_>) -> TokenStream {
    let variants: Vec<_> = plan.qtypes.iter().map(|w| ident(&w.qtype)).collect();
    let ids = plan.qtypes.iter().map(|w| number(w.ggml_type));
    let elems = plan.qtypes.iter().map(|w| number(w.block_elems));
    let served = plan.qtypes.iter().map(|w| plan.served_by(&w.qtype));
    let served = served.map(|cells| quote!(&[#(#cells),*]));
    let table = table();
    quote! {
        #[doc = " The id that stands for this type in a GGUF file; 128 and above are private to the APR container."]
        #table
        pub const fn ggml_type(self) -> u32 {
            match self { #(Self::#variants => #ids),* }
        }

        #[doc = " Weights in one block."]
        #table
        pub const fn block_elems(self) -> u32 {
            match self { #(Self::#variants => #elems),* }
        }

        #[doc = " What the inputs of a matrix row must be a multiple of: the block of a GGML type, 1 for the APR types, whose"]
        #[doc = " blocks run on across rows."]
        pub const fn cols_multiple(self) -> u32 {
            if self.ggml_type() < 128 { self.block_elems() } else { 1 }
        }

        #[doc = " Where this type is served: `backend.op` of each cell that has a row."]
        #table
        pub const fn served_by(self) -> &'static [&'static str] {
            match self { #(Self::#variants => #served),* }
        }
    }
}

fn from_ggml(plan: &Plan<'_>) -> TokenStream {
    let registered = plan.qtypes.iter().map(|w| {
        let (id, variant) = (number(w.ggml_type), ident(&w.qtype));
        quote!(#id => Ok(Self::#variant))
    });
    let is_row = |id: u32| plan.qtypes.iter().any(|w| w.ggml_type == id);
    let removed = facts::REMOVED.iter().filter(|&&(id, _)| !is_row(id)).map(|&(id, was)| {
        let id = number(id);
        quote!(#id => Err(Refusal::RemovedType { id, was: #was }))
    });
    let unregistered = facts::TYPES.iter().filter(|t| !is_row(t.id)).map(|t| {
        let (id, name) = (number(t.id), t.name);
        quote!(#id => Err(Self::unregistered(id, #name)))
    });
    let names = plan.qtypes.iter().map(|w| &w.qtype);
    let table = table();
    let docs = doc("The type that a GGUF file means by `id`.\n\n# Errors\n\
        [`Refusal::UnregisteredType`] when GGML has the type and this registry has no row for it,\n\
        [`Refusal::RemovedType`] when GGML has withdrawn it, [`Refusal::UnknownType`] when there never was one.");
    quote! {
        #docs
        #table
        pub const fn from_ggml(id: u32) -> Result<Self, Refusal> {
            match id {
                #(#registered,)*
                #(#removed,)*
                #(#unregistered,)*
                _ => Err(Refusal::UnknownType { id }),
            }
        }

        const fn unregistered(id: u32, name: &'static str) -> Refusal {
            Refusal::UnregisteredType { id, name, registered: &[#(#names),*] }
        }
    }
}
