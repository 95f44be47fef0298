//! Q4_1: 32 weights of 4 bits, f16 scale and minimum.

use cudarc::driver::{CudaView, CudaViewMut};

use super::{Decoding, in_f32};
use crate::cuda::{Device, Matrix, Products, Source};
use crate::cuda_source;
use crate::format::Q4_1;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("q4_1", ["gemv_q4_1"]);

/// `y = W x`: `x` is `[cols]`, `y` is `[rows]`. Returns how products are formed: always [`Products::F32`].
///
/// # Errors
/// [`Refusal::Length`] when `x` or `y` has another length, [`Refusal::OtherContext`], and those of a launch; nothing has
/// been written then.
pub fn gemv(
    device: &Device,
    w: &Matrix<'_, Q4_1>,
    x: &CudaView<'_, f32>,
    y: &mut CudaViewMut<'_, f32>,
) -> Result<Products, Refusal> {
    in_f32(device, &SOURCE, Decoding::Registers, w, x, y)
}
