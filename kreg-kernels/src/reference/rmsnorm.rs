//! Root-mean-square normalisation.

use super::widen;

/// `y_i = x_i / sqrt(mean(x^2) + eps) * w_i`.
pub fn rmsnorm(x: &[f32], w: &[f32], eps: f32) -> Vec<f64> {
    let x = widen(x);
    let mean = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
    let root = (mean + f64::from(eps)).sqrt();
    x.iter().zip(widen(w)).map(|(x, w)| x / root * w).collect()
}
