//! Euclidean normalisation.

use super::widen;

/// `x / sqrt(sum(x^2) + eps)` for each head of `x` (`[heads, head_dim]`).
pub fn l2norm_per_head(x: &[f32], head_dim: usize, eps: f32) -> Vec<f64> {
    let mut y = widen(x);
    for head in y.chunks_exact_mut(head_dim) {
        let length = (head.iter().map(|x| x * x).sum::<f64>() + f64::from(eps)).sqrt();
        head.iter_mut().for_each(|x| *x /= length);
    }
    y
}
