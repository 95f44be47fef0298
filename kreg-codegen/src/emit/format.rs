//! Compile-time agreement between the registry and the kernel crate's formats.

use proc_macro2::TokenStream;
use quote::quote;

use super::text::ident;
use crate::facts;
use crate::plan::Plan;

/// One assertion per weight type: id, weights and bytes per block.
pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let asserts = plan.qtypes.iter().map(|w| {
        let (format, id, elems) = (ident(&w.qtype), w.ggml_type, w.block_elems as usize);
        let bytes = facts::by_name(&w.qtype).map(|fact| {
            let bytes = fact.block_bytes as usize;
            quote!(&& F::BYTES == #bytes)
        });
        let sentence = format!(
            "{} says {} is ggml type {id} with {elems} weights a block; kreg_kernels::format::{} says otherwise",
            plan.registry, w.qtype, w.qtype
        );
        quote! {
            const _: () = {
                type F = ::kreg_kernels::format::#format;
                use ::kreg_kernels::format::Format;
                assert!(F::GGML_TYPE == #id && F::ELEMS == #elems #bytes, #sentence);
            };
        }
    });
    asserts.collect()
}
