//! `wgpu`: dispatch to the WGSL kernels, for builds with the feature of that name.

use proc_macro2::TokenStream;
use quote::quote;

use super::dispatch::{self, Calls};
use super::text::{comment, doc, ident, table};
use crate::load::sources::Sources;
use crate::plan::Plan;

/// The module, or nothing when the registry has no wgpu product.
pub(super) fn emit(plan: &Plan<'_>, sources: &Sources) -> Result<TokenStream, Vec<String>> {
    let mut calls = dispatch::calls("wgpu", &[], plan, sources)?;
    calls.retain(|&i, _| plan.rows[i].row.weight.is_some());
    if calls.is_empty() {
        return Ok(TokenStream::new());
    }
    let (weights, bind) = (weights(), bind(plan, &calls));
    let docs = doc("\
The wgpu backend, with the feature `wgpu`: weights in the caller's buffers, products recorded into the caller's encoder.

A [`Device`](wgpu::Device) wraps the caller's device and queue. Rows that require `SUBGROUP` are chosen on devices that
were created with that feature. Nothing is submitted and nothing waited for.");
    Ok(quote! {
        #docs
        #[cfg(feature = "wgpu")]
        pub mod wgpu {
            use super::*;
            use ::kreg_kernels::wgpu::{Gemv, Matrix};

            #[doc(inline)]
            pub use ::kreg_kernels::wgpu::Device;
            #[doc = " The version of wgpu whose devices, buffers and encoders these are."]
            pub use ::kreg_kernels::wgpu::wgpu;

            #weights
            #bind
        }
    })
}

fn weights() -> TokenStream {
    let docs = doc("\
A weight matrix in a device buffer, bound to the kernel that serves it: bytes, shape, row and pipeline, all checked and
chosen once. A matrix over the device's binding size is divided by rows; nothing is copied or repacked.");
    let bind_docs = doc("\
Binds a slice of a buffer, a row-major `[rows, cols]` matrix (GGUF's `ne1`, `ne0`) in the bytes of its file, to the most
specific row that fits. The slice starts at a multiple of 16 bytes, and ends at, or is followed by, the padding that
makes whole words of 4; the buffer has usage `STORAGE`. [`Device::upload`] makes such a buffer. The kernel is compiled
when it is first bound on a device.

# Errors
[`Refusal::WrongBackend`] for a path of another backend, [`Refusal::NoRowForTarget`] when no row fits the device;
[`Refusal::Empty`], [`Refusal::Multiple`], [`Refusal::TooLarge`], [`Refusal::Length`] or [`Refusal::BufferUsage`] when
slice and shape do not fit each other or the device; [`Refusal::OtherContext`] for a buffer of another device;
[`Refusal::Driver`] when wgpu or a shader compiler reports an error.");
    let gemv = doc("\
Records `y[r] = sum_k W[r][k] * x[k]` into `encoder`, as one compute pass, and returns the row that will run. `x` is
`[cols]` and `y` `[rows]`, f32, in two buffers with usage `STORAGE`, at offsets that are multiples of the device's
`min_storage_buffer_offset_alignment`.

# Errors
Those of [`Gemv::record`]: nothing has been recorded then.");
    quote! {
        #docs
        #[derive(Clone, Debug)]
        pub struct Weights {
            bound: Gemv,
            kernel: KernelId,
        }

        impl Weights {
            #bind_docs
            pub fn bind(
                device: &Device,
                path: Path,
                slice: wgpu::BufferSlice<'_>,
                rows: usize,
                cols: usize,
            ) -> Result<Self, Refusal> {
                if path.backend() != Backend::Wgpu {
                    return Err(Refusal::WrongBackend { called: "wgpu", path: path.backend().name() });
                }
                let kernel = path.select(device.target())?;
                Ok(Self { bound: bind(kernel, device, slice, rows, cols)?, kernel })
            }

            #gemv
            pub fn gemv(
                &self,
                device: &Device,
                encoder: &mut wgpu::CommandEncoder,
                x: wgpu::BufferSlice<'_>,
                y: wgpu::BufferSlice<'_>,
            ) -> Result<KernelId, Refusal> {
                self.bound.record(device, encoder, x, y)?;
                Ok(self.kernel)
            }

            #[doc = " The row that serves this matrix."]
            pub const fn kernel(&self) -> KernelId {
                self.kernel
            }

            #[doc = " Number of outputs."]
            pub fn rows(&self) -> usize {
                self.bound.rows()
            }

            #[doc = " Number of inputs, K."]
            pub fn cols(&self) -> usize {
                self.bound.cols()
            }
        }
    }
}

/// Row to kernel: the only place that names them.
fn bind(plan: &Plan<'_>, calls: &Calls<'_>) -> TokenStream {
    let matrix = [quote!(&Matrix::new(slice, rows, cols)?)];
    let arms = calls.iter().map(|(&i, call)| {
        let (id, note) = (ident(&plan.rows[i].variant), comment(&plan.rows[i].row.id));
        let kernel = call.with(&matrix);
        quote!(#note KernelId::#id => #kernel)
    });
    let others: Vec<usize> = (0..plan.rows.len()).filter(|i| !calls.contains_key(i)).collect();
    let others = dispatch::unreached(plan, "wgpu", &others);
    let table = table();
    quote! {
        #[doc = " The row's kernel with these weights, compiled and checked."]
        #table
        fn bind(
            kernel: KernelId,
            device: &Device,
            slice: wgpu::BufferSlice<'_>,
            rows: usize,
            cols: usize,
        ) -> Result<Gemv, Refusal> {
            Ok(match kernel { #(#arms,)* #others })
        }
    }
}
