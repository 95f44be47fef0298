//! `KernelId`: one variant per row, and what each row says of itself as exhaustive enums.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

use super::closed::EXHAUSTIVE;
use super::text::{doc, either, ident, table};
use crate::plan::{Entry, Plan};
use crate::vocabulary::{self, Term};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let docs = doc(&format!("One row of the registry: one kernel.\n\n{EXHAUSTIVE}"));
    let count = plan.rows.len();
    let variants: Vec<_> = plan.rows.iter().map(|e| ident(&e.variant)).collect();
    let variant_docs = plan.rows.iter().map(|e| doc(&describe(e)));
    let lookups = lookups();
    let fields = fields(plan);
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

fn fields(plan: &Plan<'_>) -> TokenStream {
    type Field = fn(&Entry<'_>) -> &'static Term;
    let closed: [(&str, &str, &str, Field); 7] = [
        ("op", "Op", vocabulary::KERNEL_OP.doc, |e| e.op),
        ("backend", "Backend", vocabulary::BACKEND.doc, |e| e.backend),
        ("accumulate", "Accumulate", vocabulary::ACCUMULATE.doc, |e| e.accumulate),
        ("precision", "Precision", vocabulary::PRECISION.doc, |e| e.precision),
        ("error_model", "ErrorModel", vocabulary::ERROR_MODEL.doc, |e| e.error_model),
        ("determinism", "Determinism", vocabulary::DETERMINISM.doc, |e| e.determinism),
        ("shape_class", "ShapeClass", vocabulary::SHAPE_CLASS.doc, |e| e.shape_class),
    ];
    let mut out: TokenStream = closed
        .into_iter()
        .map(|(name, ty, docs, field)| {
            let ty = ident(ty);
            grouped(
                plan,
                name,
                docs,
                quote!(#ty),
                |e| field(e).variant.to_string(),
                |v| {
                    let v = ident(v);
                    quote!(#ty::#v)
                },
            )
        })
        .collect();
    let qtype = |e: &Entry<'_>| e.row.weight.as_ref().map_or(String::new(), |w| w.qtype.clone());
    out.extend(grouped(
        plan,
        "qtype",
        "The weight type of a kernel row, `None` for an op row.",
        quote!(Option<QType>),
        qtype,
        |v| match v {
            "" => quote!(None),
            v => {
                let v = ident(v);
                quote!(Some(QType::#v))
            }
        },
    ));
    out
}

/// A `const fn` whose arms are the distinct values of a field, each with the rows that have it.
fn grouped(
    plan: &Plan<'_>,
    name: &str,
    docs: &str,
    ty: TokenStream,
    key: impl Fn(&Entry<'_>) -> String,
    value: impl Fn(&str) -> TokenStream,
) -> TokenStream {
    let mut groups: BTreeMap<String, Vec<TokenStream>> = BTreeMap::new();
    for e in &plan.rows {
        let variant = ident(&e.variant);
        groups.entry(key(e)).or_default().push(quote!(Self::#variant));
    }
    let arms = groups.into_iter().map(|(k, rows)| {
        let (rows, value) = (either(rows), value(&k));
        quote!(#rows => #value)
    });
    let (name, docs, table) = (ident(name), doc(docs), table());
    quote! {
        #docs
        #table
        pub const fn #name(self) -> #ty {
            match self { #(#arms),* }
        }
    }
}
