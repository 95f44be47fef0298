//! Root-mean-square normalisation.

use super::widen;

/// `y_i = x_i / sqrt(mean(x^2) + eps) * w_i`.
pub fn rmsnorm(x: &[f32], w: &[f32], eps: f32) -> Vec<f64> {
    let x = widen(x);
    let mean = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
    let root = (mean + f64::from(eps)).sqrt();
    x.iter().zip(widen(w)).map(|(x, w)| x / root * w).collect()
}

/// [`rmsnorm`] of each head of `x` (`[heads, w.len()]`).
pub fn rmsnorm_per_head(x: &[f32], w: &[f32], eps: f32) -> Vec<f64> {
    x.chunks_exact(w.len()).flat_map(|head| rmsnorm(head, w, eps)).collect()
}

/// [`rmsnorm_per_head`], times `z / (1 + exp(-z))`.
pub fn rmsnorm_gated(x: &[f32], z: &[f32], w: &[f32], eps: f32) -> Vec<f64> {
    let silu = |z: f64| z / (1.0 + (-z).exp());
    rmsnorm_per_head(x, w, eps).iter().zip(widen(z)).map(|(y, z)| y * silu(z)).collect()
}
