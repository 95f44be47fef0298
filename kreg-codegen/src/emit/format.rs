//! What the registry and the kernel crate's formats must agree on, and what follows from them.

use proc_macro2::TokenStream;
use quote::quote;

use super::text::{ident, number};
use crate::facts;
use crate::plan::Plan;

/// The assertions, and the sizes of matrices.
pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let (asserts, byte_len) = (asserts(plan), byte_len(plan));
    quote!(#asserts #byte_len)
}

/// One assertion per weight type: id, weights and bytes per block.
fn asserts(plan: &Plan<'_>) -> TokenStream {
    let asserts = plan.qtypes.iter().map(|w| {
        let (format, id, elems) = (ident(&w.qtype), number(w.ggml_type), number(w.block_elems));
        let bytes = facts::by_name(&w.qtype).map(|fact| {
            let bytes = number(fact.block_bytes);
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

/// `QType::byte_len`.
fn byte_len(plan: &Plan<'_>) -> TokenStream {
    let formats: Vec<_> = plan.qtypes.iter().map(|w| ident(&w.qtype)).collect();
    quote! {
        impl QType {
            /// Bytes of a `[rows, cols]` matrix of this type, as `cpu::Weights::bind` expects them.
            ///
            /// # Errors
            /// [`Refusal::Empty`] for a zero dimension, [`Refusal::Multiple`] when a row is not whole blocks,
            /// [`Refusal::TooLarge`] past the address space.
            pub fn byte_len(self, rows: usize, cols: usize) -> Result<usize, Refusal> {
                use ::kreg_kernels::{format, matrix::byte_len};
                match self {
                    #(Self::#formats => byte_len::<format::#formats>(rows, cols)),*
                }
            }
        }
    }
}
