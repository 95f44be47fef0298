//! EM-RED: normalisations. A sum of `n` squares has a relative error of `gamma_n`, a root halves it, and the single
//! operations around it add one `u` each.

use super::{Arithmetic, SECOND_ORDER, Undefined};
use crate::reference::widen;

/// `(gamma_n / 2 + 6 u) |y|`: squares and their sum, the mean, `eps`, the root, the quotient, two products.
///
/// # Errors
/// When gamma is undefined.
pub fn rmsnorm(x: &[f32], w: &[f32], eps: f32, sum: Arithmetic) -> Result<Vec<f64>, Undefined> {
    let relative = SECOND_ORDER * (sum.gamma(x.len())? / 2.0 + 6.0 * sum.unit);
    let y = crate::reference::rmsnorm(x, w, eps);
    Ok(y.iter().map(|y| relative * y.abs() + sum.smallest).collect())
}

/// As [`rmsnorm`] without weights and mean: `x / sqrt(sum x^2 + eps)`.
///
/// # Errors
/// When gamma is undefined.
pub fn l2norm(x: &[f32], eps: f32, sum: Arithmetic) -> Result<Vec<f64>, Undefined> {
    let relative = SECOND_ORDER * (sum.gamma(x.len())? / 2.0 + 4.0 * sum.unit);
    let x = widen(x);
    let root = (x.iter().map(|x| x * x).sum::<f64>() + f64::from(eps)).sqrt();
    Ok(x.iter().map(|x| relative * (x / root).abs() + sum.smallest).collect())
}

/// The mean is off by at most `gamma_n mean|x|`, which shifts every difference; the variance is a sum of squares of
/// shifted differences; then as [`rmsnorm`], and one addition for the bias.
///
/// # Errors
/// When gamma is undefined.
pub fn layernorm(
    x: &[f32],
    w: &[f32],
    b: Option<&[f32]>,
    eps: f32,
    sum: Arithmetic,
) -> Result<Vec<f64>, Undefined> {
    let n = x.len() as f64;
    let (gamma, u) = (sum.gamma(x.len() + 2)?, sum.unit);
    let y = crate::reference::layernorm(x, w, b, eps);
    let x = widen(x);
    let mean = x.iter().sum::<f64>() / n;
    let shift = gamma * x.iter().map(|x| x.abs()).sum::<f64>() / n;
    let var = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n + f64::from(eps);
    let root = var.sqrt();
    let relative = gamma / 2.0 + shift * shift / (2.0 * var) + 6.0 * u;
    let b = b.map_or(vec![0.0; x.len()], widen);
    let each = x.iter().zip(widen(w)).zip(b).zip(y);
    let bound = each.map(|(((x, w), b), y)| {
        let normed = (shift + (x - mean).abs() * relative) * w.abs() / root;
        SECOND_ORDER * (normed + u * (y.abs() + b.abs())) + sum.smallest
    });
    Ok(bound.collect())
}

#[cfg(test)]
mod tests {
    use super::super::{F16, F32};
    use super::*;

    #[test]
    fn a_common_shift_costs_layernorm_digits_and_rmsnorm_none() {
        let (near, far) = ([1.0, -1.0, 2.0, -2.0], [1001.0, 999.0, 1002.0, 998.0]);
        let w = [1.0; 4];
        let bound = |x: &[f32]| layernorm(x, &w, None, 1e-5, F32).unwrap()[0];
        assert!(bound(&far) > 100.0 * bound(&near));
        let bound = rmsnorm(&far, &w, 1e-5, F32).unwrap()[0];
        assert!(bound < 10.0 * F32.unit);
        assert!(l2norm(&near, 0.0, F32).unwrap()[0] < 10.0 * F32.unit);
        assert!(rmsnorm(&[1.0; 2048], &[1.0; 2048], 0.0, F16).is_err());
    }
}
