//! `ROWS` and `TABLE`: the registry as constant data.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::text::doc;
use crate::plan::{Entry, Plan};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let count = plan.rows.len();
    let rows = plan.rows.iter().map(row);
    let rows_doc =
        doc(&format!("Every row of `{}`, sorted by id: the order of [`KernelId`].", plan.registry));
    quote! {
        #rows_doc
        pub static ROWS: [Row; #count] = [#(#rows),*];

        #[doc = " The rows, for what works on any registry."]
        pub const TABLE: Table = Table { rows: &ROWS };
    }
}

fn row(e: &Entry<'_>) -> TokenStream {
    let r = e.row;
    let (id, backend, op, arch) = (&r.id, &r.backend, &r.op, &r.arch);
    let qtype = match &r.weight {
        Some(w) => {
            let name = &w.qtype;
            quote!(Some(#name))
        }
        None => quote!(None),
    };
    let (isa_features, requires) = (features(&r.isa_features), features(&r.requires));
    let (accumulate, precision, error_model) = (e.accumulate.name, e.precision.name, e.error_model.name);
    let (determinism, shape_class) = (e.determinism.name, e.shape_class.name);
    let (tolerance, contract, labels) = (&r.tolerance, &r.contract, &r.labels);
    let archs = r.archs.as_deref().unwrap_or_default();
    quote! {
        Row {
            id: #id,
            backend: #backend,
            op: #op,
            qtype: #qtype,
            arch: #arch,
            isa_features: #isa_features,
            requires: #requires,
            accumulate: #accumulate,
            precision: #precision,
            error_model: #error_model,
            determinism: #determinism,
            shape_class: #shape_class,
            tolerance: #tolerance,
            contract: #contract,
            archs: &[#(#archs),*],
            labels: &[#(#labels),*],
        }
    }
}

/// A set of features; a name that cannot be detected does not compile.
fn features(names: &BTreeSet<String>) -> TokenStream {
    if names.is_empty() {
        return quote!(Features::NONE);
    }
    let joined = names.iter().map(String::as_str).collect::<Vec<_>>().join("+");
    quote!(Features::parse(#joined))
}
