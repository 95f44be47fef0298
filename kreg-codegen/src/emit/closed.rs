//! Closed sets: exhaustive enums with the registry's spelling.

use proc_macro2::TokenStream;
use quote::quote;

use super::text::{doc, ident, number, table};
use crate::vocabulary::{self, Set, Term};

/// `Backend`.
pub(super) fn backend() -> TokenStream {
    set(&vocabulary::BACKEND, vocabulary::BACKEND.terms.iter())
}

/// `Op`: the ops of kernel rows, then those of op rows.
pub(super) fn op() -> TokenStream {
    set(&vocabulary::KERNEL_OP, vocabulary::KERNEL_OP.terms.iter().chain(vocabulary::OP_OP.terms))
}

/// The sets that only describe a row.
pub(super) fn others() -> TokenStream {
    [
        &vocabulary::ACCUMULATE,
        &vocabulary::PRECISION,
        &vocabulary::ERROR_MODEL,
        &vocabulary::DETERMINISM,
        &vocabulary::SHAPE_CLASS,
    ]
    .into_iter()
    .map(|s| set(s, s.terms.iter()))
    .collect()
}

fn set<'t>(set: &Set, terms: impl Iterator<Item = &'t Term>) -> TokenStream {
    let terms: Vec<(&str, &str, String)> =
        terms.map(|t| (t.variant, t.name, format!("`{}`: {}", t.name, t.doc))).collect();
    exhaustive(set.enum_name, &format!("{}\n\n{EXHAUSTIVE}", set.doc), &terms)
}

/// Why generated enums lack `non_exhaustive`.
pub(super) const EXHAUSTIVE: &str =
    "Exhaustive on purpose: a new variant breaks every `match` that has not thought of it.";

/// An enum with `ALL`, `name` and `from_name`, from (variant, name, docs).
pub(super) fn exhaustive(enum_name: &str, docs: &str, terms: &[(&str, &str, String)]) -> TokenStream {
    let (ty, docs, count) = (ident(enum_name), doc(docs), number(terms.len()));
    let variants: Vec<_> = terms.iter().map(|(v, ..)| ident(v)).collect();
    let names: Vec<_> = terms.iter().map(|(_, n, _)| n).collect();
    let table = table();
    let term_docs = terms.iter().map(|(.., d)| doc(d));
    quote! {
        #docs
        #[allow(non_camel_case_types, reason = "the registry's own spelling")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum #ty { #(#term_docs #variants),* }

        impl #ty {
            #[doc = " Every variant, in declaration order."]
            pub const ALL: [Self; #count] = [#(Self::#variants),*];

            #[doc = " The registry's spelling."]
            #table
            pub const fn name(self) -> &'static str {
                match self { #(Self::#variants => #names),* }
            }

            #[doc = " The variant with this spelling: exact and case-sensitive."]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|v| v.name() == name)
            }
        }

        impl ::core::fmt::Display for #ty {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(self.name())
            }
        }
    }
}
