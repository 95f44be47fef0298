//! Root mean square normalisation.

pub mod gated;
pub mod per_head;

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("rmsnorm", ["rmsnorm"]);

/// Threads of the block, at most.
const THREADS: u32 = 1024;

/// `y[i] = x[i] / sqrt(mean(x^2) + eps) * w[i]`, all of one length.
///
/// The weight is used as it is: models that store `w - 1` (Gemma) add the one at load. Sums are f32, so squares must stay
/// in its range: `|x|` below 1e18. A zero vector gives zeros for `eps > 0`; with `eps = 0` it gives NaN, as the formula
/// does.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Length`], [`Refusal::Domain`], [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn rmsnorm(
    device: &Device,
    x: &CudaView<'_, f32>,
    w: &CudaView<'_, f32>,
    eps: f32,
    y: &mut CudaViewMut<'_, f32>,
) -> Result<(), Refusal> {
    let n = check::index("x (activations)", x.len())?;
    check::length("w (weights)", x.len(), w.len())?;
    check::length("y (outputs)", x.len(), y.len())?;
    check::eps(eps)?;
    let (x, w, y) = (device.read("x", x)?, device.read("w", w)?, device.write("y", y)?);
    let arguments = [x.arg(), w.arg(), eps.into(), y.arg(), n.into()];
    let threads = THREADS.min(n.next_multiple_of(32));
    // SAFETY: the kernel reads n values of x and of w and writes n of y.
    unsafe { launch(device, &SOURCE, 0, Geometry::over(1, 1, threads), &arguments) }
}
