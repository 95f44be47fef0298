//! BF16: the upper half of an f32.

use cudarc::driver::{CudaView, CudaViewMut};

use super::{Decoding, in_f32};
use crate::cuda::{Device, Matrix, Products, Source};
use crate::cuda_source;
use crate::format::BF16;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("bf16", ["gemv_bf16"]);

/// `y = W x`: `x` is `[cols]`, `y` is `[rows]`. Returns how products are formed: always [`Products::F32`].
///
/// # Errors
/// [`Refusal::Length`] when `x` or `y` has another length, [`Refusal::OtherContext`], and those of a launch; nothing has
/// been written then.
pub fn gemv(
    device: &Device,
    w: &Matrix<'_, BF16>,
    x: &CudaView<'_, f32>,
    y: &mut CudaViewMut<'_, f32>,
) -> Result<Products, Refusal> {
    in_f32(device, &SOURCE, Decoding::Registers, w, x, y)
}
