//! The typed door: zero-sized markers, and one trait per weight op that is implemented for registered cells only.

use proc_macro2::TokenStream;
use quote::quote;

use super::text::{doc, ident};
use crate::plan::Plan;
use crate::vocabulary::{BACKEND, KERNEL_OP, Term};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let markers = markers(plan);
    let doors = KERNEL_OP.terms.iter().map(|op| door(plan, op));
    quote! { #markers #(#doors)* }
}

fn markers(plan: &Plan<'_>) -> TokenStream {
    let backends: Vec<_> = BACKEND.terms.iter().map(|t| ident(t.variant)).collect();
    let backend_docs = BACKEND.terms.iter().map(|t| doc(t.doc));
    let qtypes: Vec<_> = plan.qtypes.iter().map(|w| ident(&w.qtype)).collect();
    let qtype_docs =
        plan.qtypes.iter().map(|w| doc(&format!("[`QType::{0}`](super::QType::{0}) as a type.", w.qtype)));
    quote! {
        mod sealed {
            pub trait Sealed {}
        }

        #[doc = " A backend as a type: a marker of [`on`]."]
        pub trait OnBackend: sealed::Sealed {
            #[doc = " The backend."]
            const BACKEND: Backend;
        }

        #[doc = " A weight type as a type: a marker of [`qt`]."]
        pub trait OfQType: sealed::Sealed {
            #[doc = " The weight type."]
            const QTYPE: QType;
        }

        #[doc = " Backends as types, for the typed door."]
        pub mod on {
            #(
                #backend_docs
                #[derive(Clone, Copy, Debug)]
                pub struct #backends;
            )*
        }

        #[doc = " Weight types as types, for the typed door."]
        pub mod qt {
            #(
                #qtype_docs
                #[allow(non_camel_case_types, reason = "the registry's own spelling")]
                #[derive(Clone, Copy, Debug)]
                pub struct #qtypes;
            )*
        }

        #(
            impl sealed::Sealed for on::#backends {}
            impl OnBackend for on::#backends { const BACKEND: Backend = Backend::#backends; }
        )*
        #(
            impl sealed::Sealed for qt::#qtypes {}
            impl OfQType for qt::#qtypes { const QTYPE: QType = QType::#qtypes; }
        )*
    }
}

/// `MatVecOn` and its implementations.
fn door(plan: &Plan<'_>, op: &Term) -> TokenStream {
    let (trait_name, variant) = (ident(&format!("{}On", op.variant)), ident(op.variant));
    let message = format!("kreg: no `{}` kernel is registered for `{{Self}}` on `{{B}}`", op.name);
    let label = format!("`{{Self}}` has no `{}` row on `{{B}}`", op.name);
    let registered = format!("registered for `{}`: {}", op.name, registered(plan, op));
    let fix = "a row in registry.json and the kernel that it names make this pair compile";
    let docs = doc(&format!(
        "Weight types with a `{}` row on backend `B`.\n\nImplemented for exactly the registered pairs: {}.",
        op.name,
        self::registered(plan, op)
    ));
    let impls = BACKEND.terms.iter().flat_map(|b| plan.qtypes.iter().map(move |w| (b, w)));
    let impls =
        impls.filter(|(b, w)| !plan.candidates(b.name, op.name, &w.qtype).is_empty()).map(|(b, w)| {
            let (b, q) = (ident(b.variant), ident(&w.qtype));
            quote! {
                impl #trait_name<on::#b> for qt::#q {
                    const PATH: Path = require(Op::#variant, Backend::#b, QType::#q);
                }
            }
        });
    quote! {
        #docs
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #registered, note = #fix)]
        pub trait #trait_name<B: OnBackend>: OfQType {
            #[doc = " The path of the pair, proved by the compiler."]
            const PATH: Path;
        }
        #(#impls)*
    }
}

/// `Q4_0, Q4_K on cpu; F32 on wgpu`, or `nothing`.
fn registered(plan: &Plan<'_>, op: &Term) -> String {
    let per_backend = BACKEND.terms.iter().filter_map(|b| {
        let served = plan.qtypes.iter().filter(|w| !plan.candidates(b.name, op.name, &w.qtype).is_empty());
        let names: Vec<&str> = served.map(|w| w.qtype.as_str()).collect();
        (!names.is_empty()).then(|| format!("{} on {}", names.join(", "), b.name))
    });
    let all = per_backend.collect::<Vec<_>>().join("; ");
    if all.is_empty() { "nothing".into() } else { all }
}
