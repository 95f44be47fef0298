//! `ROWS` and `TABLE`: the registry as constant data.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::text::{doc, ident, number};
use crate::plan::{Cell, Entry, Plan};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let count = number(plan.rows.len());
    let mut rows = vec![TokenStream::new(); plan.rows.len()];
    let mut bases = TokenStream::new();
    for (cell, candidates) in &plan.cells {
        let [specific @ .., base] = &candidates[..] else { continue };
        if specific.is_empty() {
            rows[*base] = whole(&plan.rows[*base]);
            continue;
        }
        // Rows of one cell repeat each other: what the others say is what differs from the least specific.
        let (name, value) = (base_name(cell), whole(&plan.rows[*base]));
        bases.extend(quote!(const #name: Row = #value;));
        rows[*base] = quote!(#name);
        for &i in specific {
            rows[i] = different(&plan.rows[i], &plan.rows[*base], &name);
        }
    }
    let rows_doc =
        doc(&format!("Every row of `{}`, sorted by id: the order of [`KernelId`].", plan.registry));
    quote! {
        #rows_doc
        pub static ROWS: [Row; #count] = {
            #bases
            [#(#rows),*]
        };

        #[doc = " The rows, for what works on any registry."]
        pub const TABLE: Table = Table { rows: &ROWS };
    }
}

/// `CPU_MATVEC_Q4_K`.
fn base_name(cell: &Cell<'_>) -> Ident {
    ident(&cell.name().to_ascii_uppercase().replace('.', "_"))
}

fn whole(e: &Entry<'_>) -> TokenStream {
    let fields = fields(e);
    let (names, values) = (fields.iter().map(|f| ident(f.0)), fields.iter().map(|f| &f.1));
    quote!(Row { #(#names: #values),* })
}

fn different(e: &Entry<'_>, base: &Entry<'_>, base_name: &Ident) -> TokenStream {
    let (all, usual) = (fields(e), fields(base));
    let fields = all.iter().zip(&usual).filter(|(a, b)| a.1 != b.1).map(|(a, _)| a);
    let fields = fields.map(|(name, value)| {
        let name = ident(name);
        quote!(#name: #value)
    });
    quote!(Row { #(#fields,)* ..#base_name })
}

/// A field's value.
#[derive(PartialEq)]
enum Value<'r> {
    Text(&'r str),
    Type(Option<&'r str>),
    Features(&'r BTreeSet<String>),
    List(&'r [String]),
}

impl ToTokens for Value<'_> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Text(text) => quote!(#text),
            Self::Type(Some(name)) => quote!(Some(#name)),
            Self::Type(None) => quote!(None),
            Self::Features(names) if names.is_empty() => quote!(Features::NONE),
            // A name that cannot be detected does not compile.
            Self::Features(names) => {
                let joined = names.iter().map(String::as_str).collect::<Vec<_>>().join("+");
                quote!(Features::parse(#joined))
            }
            Self::List(names) => quote!(&[#(#names),*]),
        });
    }
}

/// The fields of `kreg_kernels::registry::Row`, in its order.
fn fields<'r>(e: &Entry<'r>) -> [(&'static str, Value<'r>); 16] {
    let r = e.row;
    [
        ("id", Value::Text(&r.id)),
        ("backend", Value::Text(&r.backend)),
        ("op", Value::Text(&r.op)),
        ("qtype", Value::Type(r.weight.as_ref().map(|w| w.qtype.as_str()))),
        ("arch", Value::Text(&r.arch)),
        ("isa_features", Value::Features(&r.isa_features)),
        ("requires", Value::Features(&r.requires)),
        ("accumulate", Value::Text(&r.accumulate)),
        ("precision", Value::Text(&r.precision)),
        ("error_model", Value::Text(&r.error_model)),
        ("determinism", Value::Text(&r.determinism)),
        ("shape_class", Value::Text(&r.shape_class)),
        ("tolerance", Value::Text(&r.tolerance)),
        ("contract", Value::Text(&r.contract)),
        ("archs", Value::List(r.archs.as_deref().unwrap_or_default())),
        ("labels", Value::List(&r.labels)),
    ]
}
