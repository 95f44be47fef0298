//! `KernelId`: one variant per row, and what each row says of itself as exhaustive enums.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

use super::closed::EXHAUSTIVE;
use super::text::{doc, either, ident, number, table};
use crate::plan::{Entry, Plan};
use crate::vocabulary::{self, Term};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let docs = doc(&format!("One row of the registry: one kernel.\n\n{EXHAUSTIVE}"));
    let count = number(plan.rows.len());
    let variants: Vec<_> = plan.rows.iter().map(|e| ident(&e.variant)).collect();
    let variant_docs = plan.rows.iter().map(|e| doc(&describe(e)));
    let lookups = lookups();
    let (class, fields) = fields(plan);
    quote! {
        #docs
        #[allow(non_camel_case_types, reason = "the registry's own spelling")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum KernelId { #(#variant_docs #variants),* }

        impl KernelId {
            #[doc = " Every row, sorted by id."]
            pub const ALL: [Self; #count] = [#(Self::#variants),*];
            #lookups
            #fields
        }

        #class

        impl ::core::fmt::Display for KernelId {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    }
}

/// `` `cpu.matvec.q4_k`: i32_f32 sums, q8_k activations, EM-DOT, bounded, m_any; unmeasured. ``
fn describe(e: &Entry<'_>) -> String {
    format!(
        "`{}`: {} sums, {} activations, {}, {}, {}; {}.",
        e.row.id,
        e.accumulate.name,
        e.precision.name,
        e.error_model.name,
        e.determinism.name,
        e.shape_class.name,
        e.row.tolerance
    )
}

fn lookups() -> TokenStream {
    quote! {
        #[doc = " The registry's id of the row, such as `cpu.matvec.q4_k`."]
        pub const fn as_str(self) -> &'static str {
            self.row().id
        }

        #[doc = " The row with this id: exact and case-sensitive."]
        pub fn from_name(id: &str) -> Option<Self> {
            TABLE.find(id).map(|i| Self::ALL[i])
        }

        #[doc = " The row as data."]
        pub const fn row(self) -> &'static Row {
            &TABLE.rows[self as usize]
        }
    }
}

/// A closed-set field of a row: method, enum, docs, and the term of a row.
type Field = (&'static str, &'static str, &'static str, fn(&Entry<'_>) -> &'static Term);

static FIELDS: [Field; 7] = [
    ("op", "Op", vocabulary::KERNEL_OP.doc, |e| e.op),
    ("backend", "Backend", vocabulary::BACKEND.doc, |e| e.backend),
    ("accumulate", "Accumulate", vocabulary::ACCUMULATE.doc, |e| e.accumulate),
    ("precision", "Precision", vocabulary::PRECISION.doc, |e| e.precision),
    ("error_model", "ErrorModel", vocabulary::ERROR_MODEL.doc, |e| e.error_model),
    ("determinism", "Determinism", vocabulary::DETERMINISM.doc, |e| e.determinism),
    ("shape_class", "ShapeClass", vocabulary::SHAPE_CLASS.doc, |e| e.shape_class),
];

/// The accessors, and the match that they read: rows that agree in every field share an arm.
fn fields(plan: &Plan<'_>) -> (TokenStream, TokenStream) {
    let names: Vec<_> = FIELDS.iter().map(|f| ident(f.0)).collect();
    let types: Vec<_> = FIELDS.iter().map(|f| ident(f.1)).collect();
    let docs = FIELDS.iter().map(|f| doc(f.2));
    let mut classes: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for e in &plan.rows {
        let qtype = e.row.weight.as_ref().map(|w| w.qtype.as_str());
        let key = (FIELDS.map(|f| f.3(e).variant), qtype);
        classes.entry(key).or_default().push(ident(&e.variant));
    }
    let arms = classes.into_iter().map(|((variants, qtype), rows)| {
        let (rows, variants) = (either(rows.iter().map(|r| quote!(Self::#r))), variants.map(ident));
        let qtype = match qtype.map(ident) {
            Some(qtype) => quote!(Some(QType::#qtype)),
            None => quote!(None),
        };
        quote!(#rows => Class { #(#names: #types::#variants,)* qtype: #qtype })
    });
    let table = table();
    let methods = quote! {
        #(
            #docs
            pub const fn #names(self) -> #types {
                self.class().#names
            }
        )*

        #[doc = " The weight type of a kernel row, `None` for an op row."]
        pub const fn qtype(self) -> Option<QType> {
            self.class().qtype
        }

        #table
        const fn class(self) -> Class {
            match self { #(#arms),* }
        }
    };
    let class = quote! {
        #[doc = " What a row says of itself in closed sets."]
        struct Class { #(#names: #types,)* qtype: Option<QType> }
    };
    (class, methods)
}
