//! Root mean square normalisation of each head, times a gate.

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("gated", ["rmsnorm_gated"]);

/// Warps of a block, each with one head at a time.
const WARPS: u32 = 4;

/// [`per_head`](fn@super::per_head::per_head) times `z / (1 + exp(-z))`, which is not normalised. `x`, `z` and `y` are
/// `[heads, w.len()]`.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Multiple`], [`Refusal::Length`], [`Refusal::Domain`], [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn gated(
    device: &Device,
    x: &CudaView<'_, f32>,
    z: &CudaView<'_, f32>,
    w: &CudaView<'_, f32>,
    eps: f32,
    y: &mut CudaViewMut<'_, f32>,
) -> Result<(), Refusal> {
    let (heads, d) = check::heads("x (heads)", x.len(), w.len())?;
    check::length("z (gate)", x.len(), z.len())?;
    check::length("y (outputs)", x.len(), y.len())?;
    check::eps(eps)?;
    let (x, z, w) = (device.read("x", x)?, device.read("z", z)?, device.read("w", w)?);
    let y = device.write("y", y)?;
    let arguments = [x.arg(), z.arg(), w.arg(), eps.into(), y.arg(), heads.into(), d.into()];
    let geometry = Geometry::over(heads as usize, WARPS as usize, 32 * WARPS);
    // SAFETY: the kernel reads heads * d values of x and z and d of w, and writes heads * d of y.
    unsafe { launch(device, &SOURCE, 0, geometry, &arguments) }
}
