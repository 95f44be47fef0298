//! Rotary position embedding, halves paired.

use cudarc::driver::CudaViewMut;

use crate::cuda::{Device, Position, Source};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("neox", ["rope_neox"]);

/// Rotates each head of `x` (`[heads * head_dim]`, one position) in place: pair j is `(j, j + head_dim / 2)`, and turns by
/// `pos * theta^(-2j / head_dim)`.
///
/// `(a, b)` becomes `(a cos - b sin, a sin + b cos)`; position 0 changes nothing. The angle is f64 and reduced before it is
/// rounded, so that the error does not grow with the position; the rotation is f32.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Multiple`] for an odd head, [`Refusal::Domain`], [`Refusal::OutOfRange`] for a position above 32 bits, [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn neox(
    device: &Device,
    x: &mut CudaViewMut<'_, f32>,
    head_dim: usize,
    pos: Position<'_>,
    theta: f32,
) -> Result<(), Refusal> {
    // SAFETY: the kernel is that of neox.cu, which takes what rope.cu's does.
    unsafe { super::turn(device, &SOURCE, x, head_dim, pos, theta) }
}
