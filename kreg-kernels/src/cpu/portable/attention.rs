//! Attention of one query position over a key/value cache.

use rayon::prelude::*;

use crate::args::AttentionShape;
use crate::cpu::{math, split};
use crate::workspace::Workspace;

/// For each query head, the softmax-weighted sum of the values of all positions.
///
/// `q` and `out` are `[heads * head_dim]`; the caches are `[cache_len, kv_heads * head_dim]`, and `k` and `v`
/// (`[kv_heads * head_dim]`) are position `cache_len`, which the caches do not hold yet. Query head h reads key head
/// `h / (heads / kv_heads)`; its score at a position is `dot(q, k) * scale`, capped if the shape has a cap, and the
/// largest score is subtracted before the exponential. With an empty cache the only weight is 1 and `out` is `v`.
///
/// Heads are divided among threads; each is computed from start to end by one, so the thread count changes no bit.
///
/// # Panics
/// When a length does not fit the shape.
pub fn attention(
    q: &[f32],
    k_cache: &[f32],
    v_cache: &[f32],
    k: &[f32],
    v: &[f32],
    shape: AttentionShape,
    out: &mut [f32],
    ws: &mut Workspace,
) {
    let AttentionShape { heads, kv_heads, head_dim, .. } = shape;
    assert!(kv_heads > 0 && heads.is_multiple_of(kv_heads), "heads must be a multiple of kv_heads");
    assert!(q.len() == heads * head_dim && out.len() == q.len(), "q and out must be [heads, head_dim]");
    assert!(k.len() == kv_heads * head_dim && v.len() == k.len(), "k and v must be [kv_heads, head_dim]");
    assert!(
        k_cache.len().is_multiple_of(k.len()) && v_cache.len() == k_cache.len(),
        "caches must be whole rows"
    );
    let positions = k_cache.len() / k.len() + 1;
    let (keys, values) = (Rows { cache: k_cache, current: k }, Rows { cache: v_cache, current: v });
    let group = heads / kv_heads;
    let one = |h: usize, out: &mut [f32], scores: &mut [f32]| {
        let at = h / group * head_dim;
        score(&q[h * head_dim..][..head_dim], keys.head(at, head_dim), &shape, scores);
        let total = softmax_numerators(scores);
        weighted_sum(scores, total, values.head(at, head_dim), out);
    };
    let scores: &mut [f32] = ws.slice(heads.checked_mul(positions).expect("scores overflow"));
    if split::is_small(8 * positions * q.len()) {
        let heads = out.chunks_exact_mut(head_dim).zip(scores.chunks_exact_mut(positions));
        heads.enumerate().for_each(|(h, (out, scores))| one(h, out, scores));
    } else {
        let heads = out.par_chunks_exact_mut(head_dim).zip(scores.par_chunks_exact_mut(positions));
        heads.enumerate().for_each(|(h, (out, scores))| one(h, out, scores));
    }
}

/// The key or value rows of all positions: those of the cache, then the current one.
#[derive(Clone, Copy)]
struct Rows<'a> {
    cache: &'a [f32],
    current: &'a [f32],
}

impl<'a> Rows<'a> {
    /// Each position's part of one head, which starts at `at` in a row.
    fn head(self, at: usize, head_dim: usize) -> impl Iterator<Item = &'a [f32]> {
        let rows = self.cache.chunks_exact(self.current.len()).chain(std::iter::once(self.current));
        rows.map(move |row| &row[at..at + head_dim])
    }
}

/// `scores[p] = dot(q, keys[p]) * scale`, capped.
fn score<'a>(q: &[f32], keys: impl Iterator<Item = &'a [f32]>, shape: &AttentionShape, scores: &mut [f32]) {
    for (score, key) in scores.iter_mut().zip(keys) {
        *score = math::dot(q, key) * shape.scale;
    }
    if let Some(cap) = shape.softcap.filter(|cap| *cap > 0.0 && cap.is_finite()) {
        for score in scores {
            *score = cap * (*score / cap).tanh();
        }
    }
}

/// Replaces each score by `e^(score - max)` and returns their sum.
fn softmax_numerators(scores: &mut [f32]) -> f32 {
    let max = scores.iter().copied().fold(f32::NEG_INFINITY, |max, x| if x > max { x } else { max });
    for score in scores.iter_mut() {
        *score = math::exp(*score - max);
    }
    math::sum(scores, |x| x) as f32
}

/// `out = sum of weights[p] / total * values[p]`, positions ascending.
fn weighted_sum<'a>(weights: &[f32], total: f32, values: impl Iterator<Item = &'a [f32]>, out: &mut [f32]) {
    // The neutral element of floating-point addition: it keeps the sign of a zero.
    out.fill(-0.0);
    for (&weight, value) in weights.iter().zip(values) {
        let weight = weight / total;
        for (out, value) in out.iter_mut().zip(value) {
            *out += weight * value;
        }
    }
}
