//! Layer normalisation.

use crate::cpu::math;

/// `y[i] = (x[i] - mean) / sqrt(var + eps) * w[i] + b[i]`, all of one length; without `b` nothing is added.
///
/// `var` is the mean of `(x - mean)^2`, from a second pass. Sums and the product are f64, rounded once. A constant
/// vector gives `b` for `eps > 0`; with `eps = 0` it gives NaN, as the formula does.
///
/// # Panics
/// When the lengths differ.
pub fn layernorm(x: &[f32], w: &[f32], b: Option<&[f32]>, eps: f32, y: &mut [f32]) {
    assert!(x.len() == w.len() && x.len() == y.len(), "x, w and y must have one length");
    let mean = math::sum(x, f64::from) / x.len() as f64;
    let var = math::sum(x, |x| (f64::from(x) - mean).powi(2)) / x.len() as f64;
    let factor = 1.0 / (var + f64::from(eps)).sqrt();
    let unit = |x: f32, w: f32| (f64::from(x) - mean) * factor * f64::from(w);
    let xw = x.iter().zip(w);
    match b {
        None => {
            for (y, (&x, &w)) in y.iter_mut().zip(xw) {
                *y = unit(x, w) as f32;
            }
        }
        Some(b) => {
            assert_eq!(x.len(), b.len(), "x and b must have one length");
            for ((y, (&x, &w)), &b) in y.iter_mut().zip(xw).zip(b) {
                *y = (unit(x, w) + f64::from(b)) as f32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::testing::assert_close;

    fn norm(x: &[f32], w: &[f32], b: Option<&[f32]>, eps: f32) -> Vec<f32> {
        let mut y = vec![f32::MIN; x.len()];
        layernorm(x, w, b, eps, &mut y);
        y
    }

    #[test]
    fn golden() {
        let (x, w) = ([1.0, -2.0, 3.0, -4.0], [0.5, 1.0, 1.5, 2.0]);
        let y = norm(&x, &w, Some(&[0.1, 0.2, 0.3, 0.4]), 1e-5);
        let want = [0.378542815, -0.35708563, 2.24979971, -2.19973294];
        assert_close(&y, &want, 1e-7);
        let plain = norm(&x, &w, None, 1e-5);
        assert_close(&plain, &[want[0] - 0.1, want[1] - 0.2, want[2] - 0.3, want[3] - 0.4], 1e-7);
    }

    #[test]
    fn edges() {
        assert_eq!(norm(&[7.0], &[2.0], Some(&[0.5]), 1e-6), [0.5]);
        assert_eq!(norm(&[0.0; 3], &[1.0; 3], None, 1e-6), [0.0; 3]);
        assert!(norm(&[1.0; 3], &[1.0; 3], None, 0.0).iter().all(|y| y.is_nan()));
        assert!(norm(&[1.0, f32::NAN], &[1.0; 2], None, 1e-6).iter().all(|y| y.is_nan()));
        assert!(norm(&[1.0, f32::INFINITY], &[1.0; 2], None, 1e-6).iter().all(|y| y.is_nan()));
        assert_close(&norm(&[3e38, -3e38], &[1.0; 2], None, 1e-6), &[1.0, -1.0], 1e-7);
        // A mean far above the spread: a one-pass variance would lose it.
        assert_close(&norm(&[1e6, 1e6 + 1.0], &[1.0; 2], None, 0.0), &[-1.0, 1.0], 1e-7);
    }
}
