//! SiLU of the gate times the up projection.

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("swiglu", ["swiglu"]);

/// Threads of a block, each with one element at a time.
const THREADS: u32 = 256;

/// `out = gate / (1 + exp(-gate)) * up`, all of one length. A very negative gate gives 0.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Length`], [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn swiglu(
    device: &Device,
    gate: &CudaView<'_, f32>,
    up: &CudaView<'_, f32>,
    out: &mut CudaViewMut<'_, f32>,
) -> Result<(), Refusal> {
    let n = check::index("gate", gate.len())?;
    check::length("up", gate.len(), up.len())?;
    check::length("out", gate.len(), out.len())?;
    let (gate, up, out) = (device.read("gate", gate)?, device.read("up", up)?, device.write("out", out)?);
    let arguments = [gate.arg(), up.arg(), out.arg(), n.into()];
    // SAFETY: the kernel reads n values of both inputs and writes n of out.
    unsafe { launch(device, &SOURCE, 0, Geometry::over(n as usize, THREADS as usize, THREADS), &arguments) }
}
