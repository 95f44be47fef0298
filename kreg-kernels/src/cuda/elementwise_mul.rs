//! Product of two vectors, element by element.

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("elementwise_mul", ["elementwise_mul"]);

/// Threads of a block, each with one element at a time.
const THREADS: u32 = 256;

/// `out = a * b`, all of one length. Each product is rounded once.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Length`], [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn elementwise_mul(
    device: &Device,
    a: &CudaView<'_, f32>,
    b: &CudaView<'_, f32>,
    out: &mut CudaViewMut<'_, f32>,
) -> Result<(), Refusal> {
    let n = check::index("a", a.len())?;
    check::length("b", a.len(), b.len())?;
    check::length("out", a.len(), out.len())?;
    let (a, b, out) = (device.read("a", a)?, device.read("b", b)?, device.write("out", out)?);
    let arguments = [a.arg(), b.arg(), out.arg(), n.into()];
    // SAFETY: the kernel reads n values of both inputs and writes n of out.
    unsafe { launch(device, &SOURCE, 0, Geometry::over(n as usize, THREADS as usize, THREADS), &arguments) }
}
