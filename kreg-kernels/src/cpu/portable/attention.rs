//! Attention of one or several query positions over a key/value cache.

use crate::args::AttentionShape;
use crate::cpu::attention::{self, Part, Rows, Span};
use crate::cpu::math;
use crate::workspace::Workspace;

/// For each query head, the softmax-weighted sum of the values of all positions.
///
/// `q` and `out` are `[m, heads * head_dim]`; the caches are `[cache_len, kv_heads * head_dim]`, and `k` and `v`
/// (`[m, kv_heads * head_dim]`) are positions `cache_len..cache_len + m`, which the caches do not hold yet: each of them
/// sees those before it and itself. Query head h reads key head `h / (heads / kv_heads)`; its score at a position is
/// `dot(q, k) * scale`, capped if the shape has a cap, and the largest score is subtracted before the exponential. With
/// an empty cache the first position's only weight is 1 and its `out` is `v`.
///
/// Positions, or the heads of a single one, are divided among threads. Each head of each position is computed by one, in
/// an order that does not depend on those beside it: neither the thread count nor `m` changes a bit.
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
    attention::attention(q, [k_cache, v_cache], [k, v], shape, out, ws, attend, |tile| tile.each(attend));
}

/// The heads of one position.
fn attend(Part { span, shape, q, keys, values, scores, out }: Part<'_>) {
    score(q, keys, span, shape.scale, scores);
    attention::weights(scores, span.positions, shape.softcap);
    weighted_sum(scores, values, span, out);
}

/// `scores[h][p] = dot(q[h], key) * scale`.
fn score(q: &[f32], keys: Rows<'_>, span: Span, scale: f32, scores: &mut [f32]) {
    for block in span.blocks() {
        for (h, q) in q.chunks_exact(span.head_dim).enumerate() {
            for p in block.clone() {
                scores[h * span.positions + p] = math::dot(q, span.part(keys.row(p), h)) * scale;
            }
        }
    }
}

/// `out[h] = sum of weights[h][p] * value`, positions ascending.
fn weighted_sum(weights: &[f32], values: Rows<'_>, span: Span, out: &mut [f32]) {
    // The neutral element of floating-point addition: it keeps the sign of a zero.
    out.fill(-0.0);
    for block in span.blocks() {
        for (h, out) in out.chunks_exact_mut(span.head_dim).enumerate() {
            for p in block.clone() {
                let weight = weights[h * span.positions + p];
                for (out, value) in out.iter_mut().zip(span.part(values.row(p), h)) {
                    *out += weight * value;
                }
            }
        }
    }
}
