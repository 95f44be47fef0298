//! Rotary position embedding, neighbours paired.

pub mod neox;
pub mod partial_neox;

use cudarc::driver::CudaViewMut;

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::position::POSITIONS;
use crate::cuda::{Device, Position, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("rope", ["rope"]);

/// Threads of a block, each with one pair at a time.
const THREADS: u32 = 256;

/// Rotates each head of `x` (`[heads * head_dim]`, one position) in place: pair j is `(2j, 2j + 1)`, and turns by
/// `pos * theta^(-2j / head_dim)`.
///
/// `(a, b)` becomes `(a cos - b sin, a sin + b cos)`; position 0 changes nothing. The angle is f64 and reduced before it is
/// rounded, so that the error does not grow with the position; the rotation is f32.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Multiple`] for an odd head, [`Refusal::Domain`], [`Refusal::OutOfRange`] for a position above 32 bits, [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn rope(
    device: &Device,
    x: &mut CudaViewMut<'_, f32>,
    head_dim: usize,
    pos: Position<'_>,
    theta: f32,
) -> Result<(), Refusal> {
    // SAFETY: the kernel is that of rope.cu.
    unsafe { turn(device, &SOURCE, x, head_dim, pos, theta) }
}

/// Launches the one kernel of `source` on all pairs of all heads.
///
/// # Safety
/// The kernel takes x, the position, the ratio of two angles, half a head and the number of pairs, and changes those pairs.
unsafe fn turn(
    device: &Device,
    source: &'static Source,
    x: &mut CudaViewMut<'_, f32>,
    head_dim: usize,
    pos: Position<'_>,
    theta: f32,
) -> Result<(), Refusal> {
    let (heads, d) = check::heads("x (heads)", x.len(), head_dim)?;
    check::multiple("head_dim", 2, head_dim)?;
    check::theta(theta)?;
    let pos = pos.bind(device, "position", POSITIONS)?;
    let x = device.write("x", x)?;
    let (half, [value, at]) = (d / 2, pos.args());
    let (ratio, pairs) = (f64::from(theta).powf(-1.0 / f64::from(half)), heads * half);
    let arguments = [x.arg(), value, at, ratio.into(), half.into(), pairs.into()];
    let geometry = Geometry::over(pairs as usize, THREADS as usize, THREADS);
    // SAFETY: the kernel reads and writes heads * d values of x.
    unsafe { launch(device, source, 0, geometry, &arguments) }
}
