//! `Weights`: a matrix, its row and its kernel, all decided when it is bound.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

use super::super::admit::any_of;
use super::super::text::{comment, doc, ident, table};
use super::call::Call;
use super::{Backend, Calls, unreached};
use crate::plan::Plan;
use crate::vocabulary::BACKEND;

/// What tells the weights of one backend from another's.
pub(in crate::emit) struct Weights {
    /// Imports of the module that only weights need.
    pub(in crate::emit) imports: TokenStream,
    /// Path of the checked matrix of one format; `RawMatrix` is imported.
    pub(in crate::emit) matrix: TokenStream,
    /// Whether checking the bytes takes the device.
    pub(in crate::emit) on_device: bool,
    /// Traits of the bound weights.
    pub(in crate::emit) derives: TokenStream,
    /// Their docs.
    pub(in crate::emit) docs: &'static str,
    /// Type of the bytes.
    pub(in crate::emit) bytes: TokenStream,
    /// What `bind` refuses besides what it does everywhere.
    pub(in crate::emit) also_refused: &'static str,
    /// Type of a kernel of any format.
    pub(in crate::emit) run: TokenStream,
    /// A kernel as one.
    pub(in crate::emit) erased: fn(&Call<'_>) -> TokenStream,
    /// What is done with `run` when weights are bound.
    pub(in crate::emit) prepare: TokenStream,
    /// The method that multiplies.
    pub(in crate::emit) product: TokenStream,
}

pub(super) fn emit(backend: &Backend, plan: &Plan<'_>, calls: &Calls<'_>) -> TokenStream {
    let (weights, formats, kernels) =
        (weights(backend), formats(backend, plan), kernels(backend, plan, calls));
    quote! { #weights #formats #kernels }
}

fn weights(backend: &Backend) -> TokenStream {
    let Weights { on_device, derives, docs, bytes, also_refused, run, prepare, product, .. } =
        &backend.weights;
    let docs = doc(docs);
    let bind = doc(&format!("\
Binds `bytes`, a row-major `[rows, cols]` matrix (GGUF's `ne1`, `ne0`), to the most specific row that fits.

# Errors
[`Refusal::WrongBackend`] for a path of another backend, [`Refusal::NoRowForTarget`] when the device is restricted to
what no row serves, and [`Refusal::Empty`], [`Refusal::Multiple`], [`Refusal::TooLarge`] or [`Refusal::Length`] when
bytes and shape do not fit each other.{also_refused}"));
    let (name, variant) = (backend.name, ident(BACKEND.get(backend.name).map_or("", |term| term.variant)));
    let device = on_device.then(|| quote!(device,));
    let body = quote!(matrix(#device path.qtype(), bytes, rows, cols)?);
    let bound = if prepare.is_empty() {
        quote!(Ok(Self { matrix: #body, kernel, run: function(kernel)? }))
    } else {
        quote! {
            let (matrix, run) = (#body, function(kernel)?);
            #prepare
            Ok(Self { matrix, kernel, run })
        }
    };
    quote! {
        #docs
        #[derive(#derives)]
        pub struct Weights<'w> {
            matrix: RawMatrix<'w>,
            kernel: KernelId,
            run: #run,
        }

        impl<'w> Weights<'w> {
            #bind
            pub fn bind(device: &Device, path: Path, bytes: #bytes, rows: usize, cols: usize) -> Result<Self, Refusal> {
                if path.backend() != Backend::#variant {
                    return Err(Refusal::WrongBackend { called: #name, path: path.backend().name() });
                }
                let kernel = path.select(device.target())?;
                #bound
            }

            #product

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
fn formats(backend: &Backend, plan: &Plan<'_>) -> TokenStream {
    let Weights { matrix, on_device, bytes, .. } = &backend.weights;
    let (parameter, device) =
        (on_device.then(|| quote!(device: &Device,)), on_device.then(|| quote!(device,)));
    let arms = plan.qtypes.iter().map(|w| {
        let q = ident(&w.qtype);
        quote!(QType::#q => Matrix::<format::#q>::new(#device bytes, rows, cols)?.into())
    });
    let table = table();
    quote! {
        #[doc = " The matrix that the bytes hold, checked against its format."]
        #table
        fn matrix<'w>(
            #parameter
            qtype: QType,
            bytes: #bytes,
            rows: usize,
            cols: usize,
        ) -> Result<RawMatrix<'w>, Refusal> {
            use ::kreg_kernels::format;
            use #matrix;
            Ok(match qtype { #(#arms),* })
        }
    }
}

/// Row to function: the only place that names matvec kernels.
fn kernels(backend: &Backend, plan: &Plan<'_>, calls: &Calls<'_>) -> TokenStream {
    let (name, run) = (backend.name, &backend.weights.run);
    let (ours, others): (Vec<usize>, Vec<usize>) =
        (0..plan.rows.len()).partition(|i| calls.contains_key(i) && plan.rows[*i].row.weight.is_some());
    let foreign = |i: &usize| calls[i].cfg().is_some();
    let mut elsewhere: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &i in ours.iter().filter(|i| foreign(i)) {
        elsewhere.entry(&plan.rows[i].row.arch).or_default().push(i);
    }
    let arms = ours.iter().map(|i| {
        let (entry, call) = (&plan.rows[*i], &calls[i]);
        let (id, note, cfg, kernel) =
            (ident(&entry.variant), comment(&entry.row.id), call.cfg(), (backend.weights.erased)(call));
        quote!(#note #cfg KernelId::#id => #kernel)
    });
    let elsewhere = elsewhere.iter().map(|(arch, rows)| {
        let (ids, missing) = (any_of(plan, rows), quote!(Refusal::MissingFeatures { missing: #arch.into() }));
        quote!(#[cfg(not(target_arch = #arch))] #ids => return Err(#missing))
    });
    let others = unreached(plan, name, &others);
    let table = table();
    quote! {
        #[doc = " The function of each row with weights."]
        #table
        fn function(kernel: KernelId) -> Result<#run, Refusal> {
            let run: #run = match kernel { #(#arms,)* #(#elsewhere,)* #others };
            Ok(run)
        }
    }
}
