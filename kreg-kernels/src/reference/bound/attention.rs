//! EM-ATT: a product (EM-DOT), a softmax over it (EM-SMX), and a product with the weights (EM-DOT).

use super::{Arithmetic, Builtins, SECOND_ORDER, Undefined, softmax};
use crate::args::AttentionShape;
use crate::reference::widen;

/// Bound per output of attention over `k` and `v`, the cached positions and then the current one, `[positions,
/// kv_heads * head_dim]` each; `q` is `[heads * head_dim]`.
///
/// A score is off by `gamma_d` of its magnitude, one rounding of the scale, and the error of tanh under a soft cap. It
/// moves its weight relative to the others; then `sum w |v|` is weighted by what the weights and the last sum may err.
///
/// # Errors
/// When gamma is undefined.
pub fn attention(
    q: &[f32],
    k: &[f32],
    v: &[f32],
    shape: AttentionShape,
    sum: Arithmetic,
    builtins: &Builtins,
) -> Result<Vec<f64>, Undefined> {
    let AttentionShape { heads, kv_heads, head_dim: d, .. } = shape;
    let positions = k.len() / (kv_heads * d);
    let (k, v) = (widen(k), widen(v));
    let (gamma_d, gamma_n) = (sum.gamma(d)?, sum.gamma(positions)?);
    let mut out = Vec::new();
    for (h, q) in widen(q).chunks(d).enumerate() {
        let at = |p: usize| (p * kv_heads + h / (heads / kv_heads)) * d;
        let scored: Vec<(f64, f64)> =
            (0..positions).map(|p| score(q, &k[at(p)..][..d], shape, gamma_d, sum, builtins)).collect();
        let max = scored.iter().map(|s| s.0).fold(f64::NEG_INFINITY, f64::max);
        let spread = scored.iter().map(|s| max - s.0).fold(0.0, f64::max);
        let shift = scored.iter().map(|s| s.1).fold(0.0, f64::max);
        let total: f64 = scored.iter().map(|s| (s.0 - max).exp()).sum();
        let relative = softmax::relative(shift, spread, positions, sum, builtins)? + gamma_n;
        out.extend((0..d).map(|e| {
            let mag: f64 =
                (0..positions).map(|p| (scored[p].0 - max).exp() / total * v[at(p) + e].abs()).sum();
            SECOND_ORDER * relative * mag + positions as f64 * sum.smallest_normal
        }));
    }
    Ok(out)
}

/// A score and how far it may be off.
fn score(
    q: &[f64],
    k: &[f64],
    shape: AttentionShape,
    gamma: f64,
    sum: Arithmetic,
    builtins: &Builtins,
) -> (f64, f64) {
    let scale = f64::from(shape.scale);
    let dot: f64 = q.iter().zip(k).map(|(q, k)| q * k).sum();
    let mag: f64 = q.iter().zip(k).map(|(q, k)| (q * k).abs()).sum();
    let (score, shift) = (dot * scale, (gamma * mag + sum.unit * dot.abs()) * scale.abs());
    let Some(cap) = shape.softcap.filter(|cap| *cap > 0.0 && cap.is_finite()).map(f64::from) else {
        return (score, shift);
    };
    // tanh does not amplify; quotient, tanh and product err on their own.
    let capped = cap * (score / cap).tanh();
    let own = sum.unit * (score.abs() + capped.abs() * (2.0 * builtins.tanh + 1.0));
    (capped, shift + own)
}

#[cfg(test)]
mod tests {
    use super::super::F32;
    use super::*;

    #[test]
    fn one_position_errs_by_little_and_sharp_scores_by_more() {
        let shape = AttentionShape { heads: 1, kv_heads: 1, head_dim: 2, scale: 1.0, softcap: None };
        let of =
            |q: [f32; 2], k: &[f32], v: &[f32]| attention(&q, k, v, shape, F32, &Builtins::CPU).unwrap()[0];
        let (k, v) = ([1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]);
        assert!(of([1.0, 1.0], &k[..2], &v[..2]) < 40.0 * F32.unit);
        assert!(of([100.0, 0.0], &k, &v) > of([1.0, 0.0], &k, &v));
    }
}
