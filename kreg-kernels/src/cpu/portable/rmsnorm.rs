//! Root mean square normalisation.

use crate::cpu::math;

/// `y[i] = x[i] / sqrt(mean(x^2) + eps) * w[i]`, all of one length.
///
/// The weight is used as it is: models that store `w - 1` (Gemma) add the one at load. Sums and the product are f64,
/// rounded once. A zero vector gives zeros for `eps > 0`; with `eps = 0` it gives NaN, as the formula does.
///
/// # Panics
/// When the lengths differ.
pub fn rmsnorm(x: &[f32], w: &[f32], eps: f32, y: &mut [f32]) {
    assert!(x.len() == w.len() && x.len() == y.len(), "x, w and y must have one length");
    let mean = math::sum(x, |x| f64::from(x) * f64::from(x)) / x.len() as f64;
    let factor = 1.0 / (mean + f64::from(eps)).sqrt();
    for ((y, &x), &w) in y.iter_mut().zip(x).zip(w) {
        *y = (f64::from(x) * factor * f64::from(w)) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::testing::assert_close;

    fn norm(x: &[f32], w: &[f32], eps: f32) -> Vec<f32> {
        let mut y = vec![f32::MIN; x.len()];
        rmsnorm(x, w, eps, &mut y);
        y
    }

    #[test]
    fn golden() {
        let y = norm(&[1.0, -2.0, 3.0, -4.0], &[0.5, 1.0, 1.5, 2.0], 1e-5);
        assert_close(&y, &[0.182574064, -0.730296256, 1.64316658, -2.92118503], 1e-7);
    }

    #[test]
    fn edges() {
        assert_close(&norm(&[-3.0], &[2.0], 0.0), &[-2.0], 1e-7);
        assert_eq!(norm(&[0.0; 5], &[1.0; 5], 1e-6), [0.0; 5]);
        assert!(norm(&[0.0; 5], &[1.0; 5], 0.0).iter().all(|y| y.is_nan()));
        assert!(norm(&[1.0, f32::NAN, 2.0], &[1.0; 3], 1e-6).iter().all(|y| y.is_nan()));
        let y = norm(&[1.0, f32::INFINITY], &[1.0; 2], 1e-6);
        assert!(y[0] == 0.0 && y[1].is_nan());
        // Squares beyond the range of f32, at both ends.
        assert_close(&norm(&[1e30, -1e30], &[1.0; 2], 1e-6), &[1.0, -1.0], 1e-7);
        assert_close(&norm(&[1e-30, -1e-30], &[1.0; 2], 0.0), &[1.0, -1.0], 1e-7);
    }

    #[test]
    fn long_vectors_keep_every_element() {
        for n in [15, 16, 17, 4099] {
            let x: Vec<f32> = (0..n).map(|i| (i as f32 * 0.37).sin()).collect();
            let mean = x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / n as f64;
            let want: Vec<f64> =
                x.iter().map(|&x| f64::from(x) / (mean + f64::from(1e-5_f32)).sqrt()).collect();
            assert_close(&norm(&x, &vec![1.0; n], 1e-5), &want, 1e-7);
        }
    }
}
