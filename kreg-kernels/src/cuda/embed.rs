//! Embedding look-up.

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Position, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("embed", ["embed"]);

/// Threads of a block, each with one element at a time.
const THREADS: u32 = 256;

/// Copies row `token` of `table` (`[vocabulary, n]`) to `out` (`[n]`), bit for bit.
///
/// The token may lie in device memory ([`Position::At`]), where [`argmax`](fn@crate::cuda::argmax::argmax) left it; one
/// outside the table then sets the device's fault word, and `out` stays as it was.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Multiple`], [`Refusal::OutOfRange`], [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn embed(
    device: &Device,
    table: &CudaView<'_, f32>,
    token: Position<'_>,
    out: &mut CudaViewMut<'_, f32>,
) -> Result<(), Refusal> {
    let n = check::index("out", out.len())?;
    check::not_empty("embedding table", table.len())?;
    check::multiple("embedding table", out.len(), table.len())?;
    let vocabulary = check::index("vocabulary", table.len() / out.len())?;
    let token = token.bind(device, "token id", vocabulary as usize)?;
    let (table, out, fault) =
        (device.read("embedding table", table)?, device.write("out", out)?, device.fault_word());
    let [value, at] = token.args();
    let arguments = [table.arg(), value, at, vocabulary.into(), out.arg(), n.into(), fault.arg()];
    // SAFETY: the kernel reads n values of a row below `vocabulary` and writes n of out.
    unsafe { launch(device, &SOURCE, 0, Geometry::over(n as usize, THREADS as usize, THREADS), &arguments) }
}
