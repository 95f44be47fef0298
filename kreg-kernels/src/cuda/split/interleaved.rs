//! Separating interleaved query and gate.

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("interleaved", ["split_interleaved"]);

/// Threads of a block, each with one pair at a time.
const THREADS: u32 = 256;

/// Copies `x` (`[heads, 2, head_dim]`, in each head the query before the gate) to `query` and `gate`
/// (`[heads, head_dim]`), bit for bit.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Multiple`], [`Refusal::Length`], [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn interleaved(
    device: &Device,
    x: &CudaView<'_, f32>,
    head_dim: usize,
    query: &mut CudaViewMut<'_, f32>,
    gate: &mut CudaViewMut<'_, f32>,
) -> Result<(), Refusal> {
    let (_, d) = check::heads("query", query.len(), head_dim)?;
    let n = check::index("query", query.len())?;
    check::length("gate", query.len(), gate.len())?;
    check::length("x (query and gate)", 2 * query.len(), x.len())?;
    let (x, query, gate) = (device.read("x", x)?, device.write("query", query)?, device.write("gate", gate)?);
    let arguments = [x.arg(), query.arg(), gate.arg(), d.into(), n.into()];
    // SAFETY: the kernel reads 2 n values of x and writes n of query and of gate.
    unsafe { launch(device, &SOURCE, 0, Geometry::over(n as usize, THREADS as usize, THREADS), &arguments) }
}
