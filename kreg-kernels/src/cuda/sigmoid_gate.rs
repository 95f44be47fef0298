//! Multiplies by the sigmoid of a gate.

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("sigmoid_gate", ["sigmoid_gate"]);

/// Threads of a block, each with one element at a time.
const THREADS: u32 = 256;

/// `x = x / (1 + exp(-gate))` in place, both of one length: the gate on an attention output, before its projection.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Length`], [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn sigmoid_gate(
    device: &Device,
    x: &mut CudaViewMut<'_, f32>,
    gate: &CudaView<'_, f32>,
) -> Result<(), Refusal> {
    let n = check::index("x", x.len())?;
    check::length("gate", x.len(), gate.len())?;
    let (x, gate) = (device.write("x", x)?, device.read("gate", gate)?);
    let arguments = [x.arg(), gate.arg(), n.into()];
    // SAFETY: the kernel reads n values of both and writes n of x.
    unsafe { launch(device, &SOURCE, 0, Geometry::over(n as usize, THREADS as usize, THREADS), &arguments) }
}
