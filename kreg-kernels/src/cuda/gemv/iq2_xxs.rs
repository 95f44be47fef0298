//! IQ2_XXS: 256 weights, eights from a codebook of 256.

use cudarc::driver::{CudaView, CudaViewMut};

use super::{Decoding, in_f32};
use crate::cuda::{Device, Matrix, Products, Source};
use crate::cuda_source;
use crate::format::IQ2_XXS;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("iq2_xxs", ["gemv_iq2_xxs"]);

/// `y = W x`: `x` is `[cols]`, `y` is `[rows]`. Returns how products are formed: always [`Products::F32`].
///
/// # Errors
/// [`Refusal::Length`] when `x` or `y` has another length, [`Refusal::OtherContext`], and those of a launch; nothing has
/// been written then.
pub fn gemv(
    device: &Device,
    w: &Matrix<'_, IQ2_XXS>,
    x: &CudaView<'_, f32>,
    y: &mut CudaViewMut<'_, f32>,
) -> Result<Products, Refusal> {
    in_f32(device, &SOURCE, Decoding::Codebook, w, x, y)
}
