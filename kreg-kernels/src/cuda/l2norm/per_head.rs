//! Euclidean normalisation of each head.

use cudarc::driver::CudaViewMut;

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("per_head", ["l2norm_per_head"]);

/// Warps of a block, each with one head at a time.
const WARPS: u32 = 4;

/// `x / sqrt(sum(x^2) + eps)` in place, for each head of `x` (`[heads, head_dim]`, heads of any width): `eps` is added to
/// the sum, not to the mean.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Multiple`], [`Refusal::Domain`], [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn per_head(
    device: &Device,
    x: &mut CudaViewMut<'_, f32>,
    head_dim: usize,
    eps: f32,
) -> Result<(), Refusal> {
    let (heads, d) = check::heads("x (heads)", x.len(), head_dim)?;
    check::eps(eps)?;
    let x = device.write("x", x)?;
    let arguments = [x.arg(), eps.into(), heads.into(), d.into()];
    let geometry = Geometry::over(heads as usize, WARPS as usize, 32 * WARPS);
    // SAFETY: the kernel reads and writes heads * d values of x.
    unsafe { launch(device, &SOURCE, 0, geometry, &arguments) }
}
