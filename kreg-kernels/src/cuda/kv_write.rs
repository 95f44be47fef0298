//! Writing one position of a key/value cache.

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Position, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("kv_write", ["kv_write"]);

/// Threads of a block, each with one element at a time.
const THREADS: u32 = 256;

/// Stores the heads of `k` and `v` (`[kv_heads, head_dim]`) as position `pos` of `k_cache` and `v_cache`
/// (`[kv_heads, max_len, head_dim]`), bit for bit.
///
/// With `head_dim = k.len()`, one head, the layout is `[max_len, kv_dim]`: that of
/// [`gdn_decode`](fn@crate::cuda::attention::gdn_decode::gdn_decode). A position in device memory that is at or past
/// `max_len` sets the device's fault word, and the caches stay as they were, as they do while an earlier fault stands.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Multiple`], [`Refusal::Length`], [`Refusal::OutOfRange`], [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn kv_write(
    device: &Device,
    k: &CudaView<'_, f32>,
    v: &CudaView<'_, f32>,
    pos: Position<'_>,
    head_dim: usize,
    k_cache: &mut CudaViewMut<'_, f32>,
    v_cache: &mut CudaViewMut<'_, f32>,
) -> Result<(), Refusal> {
    let (_, d) = check::heads("k (current key)", k.len(), head_dim)?;
    let kv_dim = check::index("k (current key)", k.len())?;
    check::length("v (current value)", k.len(), v.len())?;
    check::multiple("k_cache", k.len(), k_cache.len())?;
    check::length("v_cache", k_cache.len(), v_cache.len())?;
    let max_len = check::index("max_len", k_cache.len() / k.len())?;
    let pos = pos.bind(device, "position", max_len as usize)?;
    let (k, v) = (device.read("k", k)?, device.read("v", v)?);
    let (k_cache, v_cache) = (device.write("k_cache", k_cache)?, device.write("v_cache", v_cache)?);
    let ([value, at], fault) = (pos.args(), device.fault_word());
    let arguments = [
        k.arg(),
        v.arg(),
        value,
        at,
        k_cache.arg(),
        v_cache.arg(),
        kv_dim.into(),
        d.into(),
        max_len.into(),
        fault.arg(),
    ];
    let geometry = Geometry::over(kv_dim as usize, THREADS as usize, THREADS);
    // SAFETY: the kernel reads kv_dim values of k and v and writes as many of each cache, of max_len * kv_dim.
    unsafe { launch(device, &SOURCE, 0, geometry, &arguments) }
}
