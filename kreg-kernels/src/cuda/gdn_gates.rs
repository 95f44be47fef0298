//! Decay and write gates of the gated delta net.

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("gdn_gates", ["gdn_gates"]);

/// Threads of a block, each with one head at a time.
const THREADS: u32 = 256;

/// `g = ln(1 + exp(alpha + dt_bias)) * a` and `beta = 1 / (1 + exp(-beta_raw))`, one of each per value head; all six of
/// one length.
///
/// `a` is negative as the file has it (`-exp(A_log)`).
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Length`], [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn gdn_gates(
    device: &Device,
    alpha: &CudaView<'_, f32>,
    dt_bias: &CudaView<'_, f32>,
    a: &CudaView<'_, f32>,
    beta_raw: &CudaView<'_, f32>,
    g: &mut CudaViewMut<'_, f32>,
    beta: &mut CudaViewMut<'_, f32>,
) -> Result<(), Refusal> {
    let n = check::index("alpha", alpha.len())?;
    for (what, len) in [
        ("dt_bias", dt_bias.len()),
        ("a", a.len()),
        ("beta_raw", beta_raw.len()),
        ("g", g.len()),
        ("beta", beta.len()),
    ] {
        check::length(what, alpha.len(), len)?;
    }
    let (alpha, dt_bias) = (device.read("alpha", alpha)?, device.read("dt_bias", dt_bias)?);
    let (a, beta_raw) = (device.read("a", a)?, device.read("beta_raw", beta_raw)?);
    let (g, beta) = (device.write("g", g)?, device.write("beta", beta)?);
    let arguments = [alpha.arg(), dt_bias.arg(), a.arg(), beta_raw.arg(), g.arg(), beta.arg(), n.into()];
    // SAFETY: the kernel reads n values of each input and writes n of each output.
    unsafe { launch(device, &SOURCE, 0, Geometry::over(n as usize, THREADS as usize, THREADS), &arguments) }
}
