//! wgpu: a kernel binds itself to weights; recording a product is the same for all of them.

use super::Signature;

pub(super) static SIGNATURES: &[Signature] = &[Signature {
    backend: "wgpu",
    op: "gemv",
    variant: "",
    text: "(device: &Device, w: &Matrix<F>) -> Result<Gemv, Refusal>",
}];
