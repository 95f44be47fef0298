//! One step of a causal depthwise convolution, with SiLU.

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("silu", ["conv1d_silu"]);

/// Threads of a block, each with one channel at a time.
const THREADS: u32 = 256;

/// `y / (1 + exp(-y))` of the weighted sum y of each channel's last `taps` inputs.
///
/// `x` and `out` are `[channels]`, `weight` is `[channels, taps]` and `state` `[channels, taps - 1]`, both oldest first. The
/// state holds raw inputs; it moves on by one, in place. There is no bias. While the device's fault word is set nothing is
/// written, so that a graph replayed past the capacity of a cache leaves the state as it was.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Multiple`], [`Refusal::Length`], [`Refusal::Domain`] for fewer than 2 taps, [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn silu(
    device: &Device,
    x: &CudaView<'_, f32>,
    state: &mut CudaViewMut<'_, f32>,
    weight: &CudaView<'_, f32>,
    out: &mut CudaViewMut<'_, f32>,
) -> Result<(), Refusal> {
    let channels = check::index("x (channels)", x.len())?;
    check::multiple("weight", x.len(), weight.len())?;
    let taps = check::index("taps", weight.len() / x.len())?;
    check::domain("taps", "at least 2", taps as f32, taps >= 2)?;
    check::length("state", weight.len() - x.len(), state.len())?;
    check::length("out", x.len(), out.len())?;
    let (x, weight, fault) = (device.read("x", x)?, device.read("weight", weight)?, device.fault_word());
    let (state, out) = (device.write("state", state)?, device.write("out", out)?);
    let arguments =
        [x.arg(), state.arg(), weight.arg(), out.arg(), channels.into(), taps.into(), fault.arg()];
    let geometry = Geometry::over(channels as usize, THREADS as usize, THREADS);
    // SAFETY: the kernel reads channels values of x and channels * taps of weight, and writes channels of out and
    // channels * (taps - 1) of state.
    unsafe { launch(device, &SOURCE, 0, geometry, &arguments) }
}
