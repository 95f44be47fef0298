//! Attention of one query position, as the attention layers of gated-delta-net models keep their cache.

use cudarc::driver::{CudaView, CudaViewMut};

use super::split::{self, Sizes, Step};
use crate::cuda::{Device, Position, Source};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernels.
pub static SOURCE: Source =
    cuda_source!("gdn_decode", ["attention_gdn_decode", "attention_gdn_decode_merge"]);

/// [`attention`](fn@super::attention) over caches `[max_len, kv_heads * head_dim]`, with scores
/// `dot(q, k) / sqrt(head_dim)` and no cap.
///
/// `q` and `out` are `[heads, head_dim]`. The caches hold positions 0 to `pos`: call
/// [`kv_write`](fn@crate::cuda::kv_write::kv_write) with one head of `kv_heads * head_dim` first.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Multiple`], [`Refusal::Length`], [`Refusal::OutOfRange`], [`Refusal::OtherContext`], [`Refusal::Capturing`] when scratch must be allocated first (from 129 positions of `max_len` on) and those of a launch; nothing has been written then.
pub fn gdn_decode(
    device: &Device,
    q: &CudaView<'_, f32>,
    k_cache: &CudaView<'_, f32>,
    v_cache: &CudaView<'_, f32>,
    pos: Position<'_>,
    kv_heads: usize,
    head_dim: usize,
    out: &mut CudaViewMut<'_, f32>,
) -> Result<(), Refusal> {
    let heads = q.len() / head_dim.max(1);
    let lens = [q.len(), k_cache.len(), v_cache.len(), out.len()];
    let sizes = Sizes::new([heads, kv_heads, head_dim], lens)?;
    let scale = (1.0 / (head_dim as f64).sqrt()) as f32;
    let step = Step { q, k_cache, v_cache, pos, out };
    // SAFETY: the sizes are those of the step, and the kernels are those of gdn_decode.cu.
    unsafe { split::run(device, &SOURCE, sizes, step, [scale]) }
}
