//! `cpu`: dispatch to the kernels of the cpu backend.

use proc_macro2::TokenStream;
use quote::quote;

use super::dispatch::{Backend, Weights};
use super::text::{comment, doc};

pub(super) fn backend() -> Backend {
    Backend {
        name: "cpu",
        attributes: TokenStream::new(),
        docs: "\
The CPU backend: weights bound to a kernel once, and one function per other op, named from the row's id.

Every call checks its arguments before anything is written and returns the row that ran.

Kernels divide their work among the threads of the rayon pool that the caller is in, the global one by default
(`RAYON_NUM_THREADS`, or `ThreadPool::install`); results are the same bits for any number. Run each token's forward pass
inside one [`step`](cpu::step): the workers then stand by between products instead of falling asleep.

Attention reads the current key and value apart from the cache: call it first, then `kv_write` appends them.",
        imports: quote! {
            use ::kreg_kernels::cpu::check;

            #[doc(inline)]
            pub use ::kreg_kernels::cpu::{Device, step};
        },
        types: &["Workspace"],
        weights: weights(),
        extra: |_, _, _| TokenStream::new(),
    }
}

fn weights() -> Weights {
    Weights {
        imports: quote!(
            use ::kreg_kernels::{RawMatrix, cpu::MatVec};
        ),
        matrix: quote!(::kreg_kernels::Matrix),
        on_device: false,
        derives: quote!(Clone, Copy, Debug),
        docs: "\
A weight matrix bound to the kernel that serves it: bytes, shape, row and function, all checked and chosen once.

The bytes stay where they are, at any address: nothing is copied or repacked.",
        bytes: quote!(&'w [u8]),
        also_refused: "",
        run: quote!(MatVec),
        erased: |call| call.erased(),
        prepare: TokenStream::new(),
        product: product(),
    }
}

fn product() -> TokenStream {
    let docs = doc("\
`y[i][r] = sum_k W[r][k] * x[i][k]` for each row `i` of `x`: `x` is `[M, cols]`, `y` is `[M, rows]`, M any number.
Returns the row that ran. `ws` grows on the first call and is reused after.

# Errors
[`Refusal::Multiple`] or [`Refusal::Length`] when `x` or `y` has another length; nothing has been written then.");
    let safety =
        comment("SAFETY: `bind` chose the function for a device that has every feature its row names.");
    quote! {
        #docs
        #[inline]
        pub fn matvec(&self, x: &[f32], y: &mut [f32], ws: &mut Workspace) -> Result<KernelId, Refusal> {
            check::matvec(&self.matrix, x, y)?;
            #safety
            unsafe { (self.run)(self.matrix, x, y, ws)? };
            Ok(self.kernel)
        }
    }
}
