//! Attention of one query position over a key/value cache.

pub mod gdn_decode;
mod split;

use cudarc::driver::{CudaView, CudaViewMut};

use self::split::{Sizes, Step};
use super::{Device, Position, Source, check};
use crate::args::AttentionShape;
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernels.
pub static SOURCE: Source = cuda_source!("attention", ["attention", "attention_merge"]);

/// For each query head, the softmax-weighted sum of the values of positions 0 to `pos`, which the caches hold: call
/// [`kv_write`](fn@crate::cuda::kv_write::kv_write) first.
///
/// `q` and `out` are `[heads, head_dim]`, the caches `[kv_heads, max_len, head_dim]`, heads up to 256 wide. Query head h
/// reads key head `h / (heads / kv_heads)`; its score at a position is `dot(q, k) * scale`, capped if the shape has a cap,
/// and the largest score is subtracted before the exponential. Positions are divided among blocks by `max_len`, so that a
/// captured step serves any length; results repeat bit for bit. A position in device memory that is at or past `max_len`
/// sets the device's fault word, and `out` stays as it was.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Multiple`], [`Refusal::Length`], [`Refusal::Domain`], [`Refusal::OutOfRange`], [`Refusal::OtherContext`], [`Refusal::Capturing`] when scratch must be allocated first (from 129 positions of `max_len` on) and those of a launch; nothing has been written then.
pub fn attention(
    device: &Device,
    q: &CudaView<'_, f32>,
    k_cache: &CudaView<'_, f32>,
    v_cache: &CudaView<'_, f32>,
    pos: Position<'_>,
    shape: AttentionShape,
    out: &mut CudaViewMut<'_, f32>,
) -> Result<(), Refusal> {
    let AttentionShape { heads, kv_heads, head_dim, scale, softcap } = shape;
    let lens = [q.len(), k_cache.len(), v_cache.len(), out.len()];
    let sizes = Sizes::new([heads, kv_heads, head_dim], lens)?;
    check::domain("scale", "finite", scale, scale.is_finite())?;
    let cap = softcap.unwrap_or(0.0);
    check::domain("softcap", "a number (no cap unless finite and above 0)", cap, !cap.is_nan())?;
    let cap = if cap > 0.0 && cap.is_finite() { cap } else { 0.0 };
    let step = Step { q, k_cache, v_cache, pos, out };
    // SAFETY: the sizes are those of the step, and the kernels are those of attention.cu.
    unsafe { split::run(device, &SOURCE, sizes, step, [scale, cap]) }
}
