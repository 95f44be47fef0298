//! Q5_K: 256 weights of 5 bits, 6-bit scales and minimums per 32.

use cudarc::driver::{CudaView, CudaViewMut};

use super::{Decoding, in_f32};
use crate::cuda::{Device, Matrix, Products, Source};
use crate::cuda_source;
use crate::format::Q5_K;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("q5_k", ["gemv_q5_k"]);

/// `y = W x`: `x` is `[cols]`, `y` is `[rows]`. Returns how products are formed: always [`Products::F32`].
///
/// # Errors
/// [`Refusal::Length`] when `x` or `y` has another length, [`Refusal::OtherContext`], and those of a launch; nothing has
/// been written then.
pub fn gemv(
    device: &Device,
    w: &Matrix<'_, Q5_K>,
    x: &CudaView<'_, f32>,
    y: &mut CudaViewMut<'_, f32>,
) -> Result<Products, Refusal> {
    in_f32(device, &SOURCE, Decoding::Registers, w, x, y)
}
