//! The index of the largest value.

pub mod host;

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernels.
pub static SOURCE: Source = cuda_source!("argmax", ["argmax_part", "argmax"]);

/// Threads of a block.
const THREADS: u32 = 256;

/// Values that are worth a block.
const SHARE: usize = 4 * THREADS as usize;

/// The most blocks: one pass over their results reduces those.
const BLOCKS: usize = 256;

/// Writes the lowest index among the largest values of `x` to `index` (one element), where
/// [`embed`](fn@crate::cuda::embed::embed) can read it.
///
/// NaN is never the largest, and `-0.0` equals `+0.0`. The answer is 0 when nothing exceeds minus infinity. Any length is
/// searched to its end, and the answer does not depend on how the work is divided.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Length`], [`Refusal::OtherContext`], [`Refusal::Capturing`] when scratch must be allocated first and those of a launch; nothing has been written then.
pub fn argmax(
    device: &Device,
    x: &CudaView<'_, f32>,
    index: &mut CudaViewMut<'_, u32>,
) -> Result<(), Refusal> {
    let n = check::index("x (logits)", x.len())?;
    check::length("index", 1, index.len())?;
    let blocks = x.len().div_ceil(SHARE).min(BLOCKS);
    let parts = device.scratch(blocks * size_of::<u64>())?;
    let (x, index) = (device.read("x", x)?, device.write("index", index)?);
    // Between the launches no other call may use the scratch.
    let _together = device.together();
    // SAFETY: the kernel reads n values of x and writes one u64 a block to the scratch.
    unsafe {
        let arguments = [x.arg(), n.into(), parts.arg()];
        launch(device, &SOURCE, 0, Geometry::over(blocks, 1, THREADS), &arguments)?;
    }
    // SAFETY: the kernel reads what the blocks wrote, and writes one u32.
    unsafe {
        let arguments = [parts.arg(), (blocks as u32).into(), index.arg()];
        launch(device, &SOURCE, 1, Geometry::over(1, 1, THREADS), &arguments)
    }
}
