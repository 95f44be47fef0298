//! F32: IEEE f32.

use cudarc::driver::{CudaView, CudaViewMut};

use super::{Decoding, in_f32};
use crate::cuda::{Device, Matrix, Products, Source};
use crate::cuda_source;
use crate::format::F32;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("f32", ["gemv_f32"]);

/// `y = W x`: `x` is `[cols]`, `y` is `[rows]`. Returns how products are formed: always [`Products::F32`].
///
/// # Errors
/// [`Refusal::Length`] when `x` or `y` has another length, [`Refusal::OtherContext`], and those of a launch; nothing has
/// been written then.
pub fn gemv(
    device: &Device,
    w: &Matrix<'_, F32>,
    x: &CudaView<'_, f32>,
    y: &mut CudaViewMut<'_, f32>,
) -> Result<Products, Refusal> {
    in_f32(device, &SOURCE, Decoding::Registers, w, x, y)
}
