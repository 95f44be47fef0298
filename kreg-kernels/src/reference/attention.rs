//! Attention of one new position over a cache.

use super::widen;

/// Attention of the current token over the cached positions and itself.
///
/// `q` is `[heads, d]`, the caches `[positions, kv_heads, d]`, `k` and `v` of the current token `[kv_heads, d]`; the
/// result is `[heads, d]`. Query head `h` uses key and value head `h / (heads / kv_heads)`. A score is
/// `(q . k) * scale`, or `cap * tanh(score / cap)` of that under a soft cap (zero and infinity are no cap); weights
/// are the scores' softmax.
pub fn attention(
    q: &[f32],
    k_cache: &[f32],
    v_cache: &[f32],
    k: &[f32],
    v: &[f32],
    heads: usize,
    kv_heads: usize,
    scale: f32,
    softcap: Option<f32>,
) -> Vec<f64> {
    let d = q.len() / heads;
    let softcap = softcap.filter(|cap| *cap > 0.0 && cap.is_finite()).map(f64::from);
    let keys = widen(&[k_cache, k].concat());
    let values = widen(&[v_cache, v].concat());
    let row = |of: &[f64], p: usize, kv: usize| of[(p * kv_heads + kv) * d..][..d].to_vec();
    let mut out = Vec::new();
    for (h, q) in widen(q).chunks(d).enumerate() {
        let kv = h / (heads / kv_heads);
        let positions = keys.len() / (kv_heads * d);
        let scores: Vec<f64> = (0..positions)
            .map(|p| {
                let dot: f64 = q.iter().zip(row(&keys, p, kv)).map(|(q, k)| q * k).sum();
                let score = dot * f64::from(scale);
                softcap.map_or(score, |cap| cap * (score / cap).tanh())
            })
            .collect();
        let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = scores.iter().map(|s| (s - max).exp()).sum();
        let mut head = vec![0.0; d];
        for (p, score) in scores.iter().enumerate() {
            for (out, v) in head.iter_mut().zip(row(&values, p, kv)) {
                *out += (score - max).exp() / total * v;
            }
        }
        out.extend(head);
    }
    out
}
