//! `cuda`: dispatch to the host wrappers of the cuda backend.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

use super::dispatch::{Backend, Calls, Weights};
use super::text::doc;
use crate::load::sources::Sources;
use crate::plan::Plan;

pub(super) fn backend() -> Backend {
    Backend {
        name: "cuda",
        attributes: quote!(#[cfg(feature = "cuda")]),
        docs: "\
The CUDA backend: weights bound to a kernel once, and one function per other op, named from the row's id.

A [`Device`](cuda::Device) is the caller's stream; buffers are the caller's, as views of `cudarc`. Every call checks its
arguments before anything is enqueued, and returns without waiting the row that will run. After one step nothing is
allocated or loaded any more, so that a step can be captured in a graph ([`preload`](cuda::preload) loads kernels before it).",
        imports: quote! {
            #[doc(inline)]
            pub use ::kreg_kernels::cuda::{
                Builder, CudaContext, CudaStream, CudaView, CudaViewMut, Device, Position, Products, admit, context, cudarc,
            };
        },
        types: &["CudaView", "CudaViewMut", "Position", "Workspace"],
        weights: weights(),
        extra: preload,
    }
}

fn weights() -> Weights {
    Weights {
        imports: quote!(
            use ::kreg_kernels::cuda::{Gemv, RawMatrix};
        ),
        matrix: quote!(::kreg_kernels::cuda::Matrix),
        on_device: true,
        derives: quote!(Debug),
        docs: "\
A weight matrix in device memory bound to the kernel that serves it: bytes, shape, row and function, all checked and
chosen once.

The bytes stay as a GGUF file holds them: nothing is copied or repacked.",
        bytes: quote!(CudaView<'w, u8>),
        also_refused: "
[`Refusal::OtherContext`] for bytes of another context, [`Refusal::Misaligned`] for an address that is no multiple of 16,
and what loading the kernel may answer.",
        run: quote!(Gemv),
        erased: |call| {
            let (source, kernel) = (call.sibling("SOURCE"), call.path());
            quote!(Gemv { source: &#source, run: |device, w, x, y| #kernel(device, &w.typed()?, x, y) })
        },
        prepare: quote!(device.preload(run.source)?;),
        product: product(),
    }
}

fn product() -> TokenStream {
    let docs = doc("\
`y[r] = sum_k W[r][k] * x[k]`: `x` is `[cols]`, `y` is `[rows]`. Returns, without waiting, the row that will run and how
it forms the products.

# Errors
[`Refusal::Length`] when `x` or `y` has another length, [`Refusal::OtherContext`] when a buffer or the weights are of
another context, [`Refusal::Lost`] or [`Refusal::Driver`] when the driver refuses. Nothing has been enqueued then.");
    quote! {
        #docs
        #[inline]
        pub fn gemv(
            &self,
            device: &Device,
            x: &CudaView<'_, f32>,
            y: &mut CudaViewMut<'_, f32>,
        ) -> Result<Ran, Refusal> {
            let products = (self.run.run)(device, &self.matrix, x, y)?;
            Ok(Ran { kernel: self.kernel, products })
        }
    }
}

/// What products answer, and the function that loads every kernel.
fn preload(plan: &Plan<'_>, sources: &Sources, calls: &Calls<'_>) -> TokenStream {
    let has_text = |i: &usize| sources.beside(&plan.rows[*i].row.source_file, "cu").is_some();
    let texts: BTreeMap<String, TokenStream> = calls
        .iter()
        .filter(|(i, _)| has_text(i))
        .map(|(_, call)| call.sibling("SOURCE"))
        .map(|path| (path.to_string(), path))
        .collect();
    let texts = texts.values();
    quote! {
        #[doc = " The row that serves a product, and how it forms the products."]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Ran {
            #[doc = " The row."]
            pub kernel: KernelId,
            #[doc = " The choice that the device made, where the row leaves it to the device."]
            pub products: Products,
        }

        impl Ran {
            #[doc = " The precision that the activations have inside the kernel."]
            pub const fn precision(self) -> Precision {
                match self.products {
                    Products::F32 => Precision::F32,
                    Products::Dp4a => Precision::Q8_0,
                }
            }
        }

        #[doc = " Loads every kernel of the registry, so that no later call has to: before a graph is captured."]
        #[doc = ""]
        #[doc = " # Errors"]
        #[doc = " Those of [`Device::preload`]."]
        pub fn preload(device: &Device) -> Result<(), Refusal> {
            device.preload(&::kreg_kernels::cuda::admit::SOURCE)?;
            #(device.preload(&#texts)?;)*
            Ok(())
        }
    }
}
