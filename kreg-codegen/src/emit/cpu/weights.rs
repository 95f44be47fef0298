//! `Weights`: a matrix, its row and its kernel, all decided when it is bound.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

use super::super::admit::any_of;
use super::super::text::{comment, doc, ident, table};
use super::call::Call;
use crate::plan::Plan;

pub(super) fn emit(plan: &Plan<'_>, calls: &BTreeMap<usize, Call<'_>>) -> TokenStream {
    let (weights, formats, kernels) = (weights(), formats(plan), kernels(plan, calls));
    quote! { #weights #formats #kernels }
}

fn weights() -> TokenStream {
    let docs = doc("\
A weight matrix bound to the kernel that serves it: bytes, shape, row and function, all checked and chosen once.

The bytes stay where they are, at any address: nothing is copied or repacked.");
    let bind = doc("\
Binds `bytes`, a row-major `[rows, cols]` matrix (GGUF's `ne1`, `ne0`), to the most specific row that fits.

# Errors
[`Refusal::WrongBackend`] for a path of another backend, [`Refusal::NoRowForTarget`] when the device is restricted to
what no row serves, and [`Refusal::Empty`], [`Refusal::Multiple`], [`Refusal::TooLarge`] or [`Refusal::Length`] when
bytes and shape do not fit each other.");
    let matvec = doc("\
`y[i][r] = sum_k W[r][k] * x[i][k]` for each row `i` of `x`: `x` is `[M, cols]`, `y` is `[M, rows]`, M any number.
Returns the row that ran. `ws` grows on the first call and is reused after.

# Errors
[`Refusal::Multiple`] or [`Refusal::Length`] when `x` or `y` has another length; nothing has been written then.");
    let safety =
        comment("SAFETY: `bind` chose the function for a device that has every feature its row names.");
    quote! {
        #docs
        #[derive(Clone, Copy, Debug)]
        pub struct Weights<'w> {
            matrix: RawMatrix<'w>,
            kernel: KernelId,
            run: MatVec,
        }

        impl<'w> Weights<'w> {
            #bind
            pub fn bind(device: &Device, path: Path, bytes: &'w [u8], rows: usize, cols: usize) -> Result<Self, Refusal> {
                if path.backend() != Backend::Cpu {
                    return Err(Refusal::WrongBackend { called: "cpu", path: path.backend().name() });
                }
                let kernel = path.select(device.target())?;
                Ok(Self { matrix: matrix(path.qtype(), bytes, rows, cols)?, kernel, run: function(kernel)? })
            }

            #matvec
            #[inline]
            pub fn matvec(&self, x: &[f32], y: &mut [f32], ws: &mut Workspace) -> Result<KernelId, Refusal> {
                check::matvec(&self.matrix, x, y)?;
                #safety
                unsafe { (self.run)(self.matrix, x, y, ws)? };
                Ok(self.kernel)
            }

            #[doc = " The row that serves this matrix."]
            pub const fn kernel(&self) -> KernelId {
                self.kernel
            }

            #[doc = " Number of outputs."]
            pub fn rows(&self) -> usize {
                self.matrix.rows()
            }

            #[doc = " Number of inputs, K."]
            pub fn cols(&self) -> usize {
                self.matrix.cols()
            }
        }
    }
}

/// Bytes to a checked matrix, by weight type.
fn formats(plan: &Plan<'_>) -> TokenStream {
    let arms = plan.qtypes.iter().map(|w| {
        let q = ident(&w.qtype);
        quote!(QType::#q => Matrix::<format::#q>::new(bytes, rows, cols)?.into())
    });
    let table = table();
    quote! {
        #[doc = " The matrix that the bytes hold, checked against its format."]
        #table
        fn matrix(qtype: QType, bytes: &[u8], rows: usize, cols: usize) -> Result<RawMatrix<'_>, Refusal> {
            use ::kreg_kernels::{Matrix, format};
            Ok(match qtype { #(#arms),* })
        }
    }
}

/// Row to function: the only place that names matvec kernels.
fn kernels(plan: &Plan<'_>, calls: &BTreeMap<usize, Call<'_>>) -> TokenStream {
    let (ours, others): (Vec<usize>, Vec<usize>) =
        (0..plan.rows.len()).partition(|i| calls.contains_key(i) && plan.rows[*i].row.weight.is_some());
    let mut elsewhere: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &i in ours.iter().filter(|&&i| plan.rows[i].row.arch != "any") {
        elsewhere.entry(&plan.rows[i].row.arch).or_default().push(i);
    }
    let arms = ours.iter().map(|i| {
        let (entry, call) = (&plan.rows[*i], &calls[i]);
        let (id, note, cfg, kernel) =
            (ident(&entry.variant), comment(&entry.row.id), call.cfg(), call.erased());
        quote!(#note #cfg KernelId::#id => #kernel)
    });
    let elsewhere = elsewhere.iter().map(|(arch, rows)| {
        let (ids, missing) = (any_of(plan, rows), quote!(Refusal::MissingFeatures { missing: #arch.into() }));
        quote!(#[cfg(not(target_arch = #arch))] #ids => return Err(#missing))
    });
    let others = (!others.is_empty()).then(|| {
        let (note, ids) = (comment("Rows that no path of this backend leads to."), any_of(plan, &others));
        quote! {
            #note
            #ids => return Err(Refusal::WrongBackend { called: "cpu", path: kernel.backend().name() })
        }
    });
    let table = table();
    quote! {
        #[doc = " The function of each matvec row."]
        #table
        fn function(kernel: KernelId) -> Result<MatVec, Refusal> {
            let run: MatVec = match kernel { #(#arms,)* #(#elsewhere,)* #others };
            Ok(run)
        }
    }
}
