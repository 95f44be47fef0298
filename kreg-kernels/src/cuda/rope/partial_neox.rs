//! Rotary position embedding of a part of each head.

use cudarc::driver::CudaViewMut;

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::position::POSITIONS;
use crate::cuda::{Device, Position, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("partial_neox", ["rope_partial_neox"]);

/// Threads of a block, each with one pair at a time.
const THREADS: u32 = 256;

/// Rotates the first `n_rot` elements of each head of `x` (`[heads * head_dim]`, one position) in place, pairs
/// `(j, j + n_rot / 2)`; the others stay.
///
/// The angle is `pos` for pair 0 and for the next one that of the one before times `theta^(-2 / n_rot)`, factor and
/// products rounded to f32: models with this op are served with such angles. The factor is computed by the host, because a
/// device's `pow` has an error that j steps and a far position would multiply.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`] for an `n_rot` above `head_dim` too, [`Refusal::Multiple`], [`Refusal::Domain`], [`Refusal::OutOfRange`] for a position above 32 bits, [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn partial_neox(
    device: &Device,
    x: &mut CudaViewMut<'_, f32>,
    head_dim: usize,
    n_rot: usize,
    pos: Position<'_>,
    theta: f32,
) -> Result<(), Refusal> {
    let (heads, d) = check::heads("x (heads)", x.len(), head_dim)?;
    let half = check::at_most("n_rot", head_dim, n_rot)? / 2;
    check::multiple("n_rot", 2, n_rot)?;
    check::theta(theta)?;
    let pos = pos.bind(device, "position", POSITIONS)?;
    let x = device.write("x", x)?;
    let step = f64::from(theta).powf(-1.0 / f64::from(half)) as f32;
    let (pairs, [value, at]) = (heads * half, pos.args());
    let arguments = [x.arg(), value, at, step.into(), d.into(), half.into(), pairs.into()];
    let geometry = Geometry::over(pairs as usize, THREADS as usize, THREADS);
    // SAFETY: the kernel reads and writes heads * d values of x.
    unsafe { launch(device, &SOURCE, 0, geometry, &arguments) }
}
