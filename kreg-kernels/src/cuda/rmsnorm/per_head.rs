//! Root mean square normalisation of each head.

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("per_head", ["rmsnorm_per_head"]);

/// Warps of a block, each with one head at a time.
const WARPS: u32 = 4;

/// [`rmsnorm`](fn@super::rmsnorm) of each head of `x` (`[heads, w.len()]`, heads of any width) with one weight for all; `y`
/// has the length of `x`. Applied to queries and keys before RoPE.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Multiple`], [`Refusal::Length`], [`Refusal::Domain`], [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn per_head(
    device: &Device,
    x: &CudaView<'_, f32>,
    w: &CudaView<'_, f32>,
    eps: f32,
    y: &mut CudaViewMut<'_, f32>,
) -> Result<(), Refusal> {
    let (heads, d) = check::heads("x (heads)", x.len(), w.len())?;
    check::length("y (outputs)", x.len(), y.len())?;
    check::eps(eps)?;
    let (x, w, y) = (device.read("x", x)?, device.read("w", w)?, device.write("y", y)?);
    let arguments = [x.arg(), w.arg(), eps.into(), y.arg(), heads.into(), d.into()];
    let geometry = Geometry::over(heads as usize, WARPS as usize, 32 * WARPS);
    // SAFETY: the kernel reads heads * d values of x and d of w, and writes heads * d of y.
    unsafe { launch(device, &SOURCE, 0, geometry, &arguments) }
}
