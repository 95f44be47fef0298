//! Q6_K: 256 weights of 6 bits, 8-bit scales per 16.

use cudarc::driver::{CudaView, CudaViewMut};

use super::by_profile;
use crate::cuda::{Device, Matrix, Products, Source};
use crate::cuda_source;
use crate::format::Q6_K;
use crate::refusal::Refusal;

/// The compiled kernels, in the order that `by_profile` names them.
pub static SOURCE: Source = cuda_source!("q6_k", ["gemv_q6_k", "gemv_q6_k_quantise", "gemv_q6_k_dp4a"]);

/// `y = W x`: `x` is `[cols]`, `y` is `[rows]`. Returns how products are formed: as the device's
/// [`products`](Device::products) say. For [`Products::Dp4a`] the device keeps `cols * 9 / 8` bytes of scratch.
///
/// # Errors
/// [`Refusal::Length`] when `x` or `y` has another length, [`Refusal::OtherContext`], those of [`Device::scratch`] and of a
/// launch; nothing has been written then.
pub fn gemv(
    device: &Device,
    w: &Matrix<'_, Q6_K>,
    x: &CudaView<'_, f32>,
    y: &mut CudaViewMut<'_, f32>,
) -> Result<Products, Refusal> {
    by_profile(device, &SOURCE, w, x, y)
}
