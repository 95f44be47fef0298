//! Layer normalisation.

use super::widen;

/// `y_i = (x_i - mean) / sqrt(var + eps) * w_i [+ b_i]`, with the biased variance `mean((x - mean)^2)`.
pub fn layernorm(x: &[f32], w: &[f32], b: Option<&[f32]>, eps: f32) -> Vec<f64> {
    let x = widen(x);
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let var = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    let root = (var + f64::from(eps)).sqrt();
    let b = b.map_or(vec![0.0; w.len()], widen);
    x.iter().zip(widen(w)).zip(b).map(|((x, w), b)| (x - mean) / root * w + b).collect()
}
