//! Refusing a position before a captured step changes anything.

use super::launch::{Geometry, launch};
use super::{Device, Position, Source};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("admit", ["admit_position"]);

/// Checks that `pos` is below `max_len`: the first call of a decode step that is captured in a graph.
///
/// A replay whose position in device memory is at or past `max_len` sets the device's fault word, and while that is set no
/// kernel of the step changes a cache or a state. Without it the layers before the first attention layer would have moved
/// their states on when [`kv_write`](fn@super::kv_write::kv_write) finds out.
///
/// # Errors
/// [`Refusal::OutOfRange`], [`Refusal::OtherContext`] and those of a launch; nothing has been launched then.
pub fn admit(device: &Device, pos: Position<'_>, max_len: usize) -> Result<(), Refusal> {
    let limit = u32::try_from(max_len).unwrap_or(u32::MAX);
    let pos = pos.bind(device, "position", limit as usize)?;
    let ([value, at], fault) = (pos.args(), device.fault_word());
    // SAFETY: the kernel reads the position and writes the fault word.
    unsafe { launch(device, &SOURCE, 0, Geometry::over(1, 1, 1), &[value, at, limit.into(), fault.arg()]) }
}
