//! GELU, in its tanh form.

use crate::cpu::math;

/// `x = 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))` in place.
///
/// Computed as `x / (1 + e^-2u)`, which is the same by the definition of tanh and loses no digits where the tanh is
/// near -1. Large `|x|` saturates to `x` and to zero; negative infinity gives NaN, as the formula does.
pub fn gelu(x: &mut [f32]) {
    // 2 sqrt(2/pi)
    const TWICE: f32 = std::f32::consts::FRAC_2_SQRT_PI * std::f32::consts::SQRT_2;
    for x in x {
        *x = math::gated(*x, TWICE * (*x + 0.044715 * (*x * *x * *x)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::testing::assert_close;

    #[test]
    fn golden() {
        let mut x = [-2.0, -0.5, 0.0, 1.0, 3.0];
        gelu(&mut x);
        assert_close(&x, &[-0.0454023059, -0.15428599, 0.0, 0.841191991, 2.99636261], 1e-7);
    }

    #[test]
    fn edges() {
        let mut x =
            [1e30, -1e30, f32::MAX, f32::MIN, 100.0, -100.0, f32::INFINITY, f32::NAN, f32::NEG_INFINITY];
        gelu(&mut x);
        assert_eq!(x[..7], [1e30, 0.0, f32::MAX, 0.0, 100.0, 0.0, f32::INFINITY]);
        assert!(x[7].is_nan() && x[8].is_nan());
    }

    #[test]
    fn close_to_the_formula_everywhere() {
        let x: Vec<f32> = (-10_000..10_000).map(|i| i as f32 * 1e-3).collect();
        let mut got = x.clone();
        gelu(&mut got);
        for (&x, &got) in x.iter().zip(&got) {
            let x = f64::from(x);
            let u = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
            let want = 0.5 * x * (1.0 + u.tanh());
            assert!((f64::from(got) - want).abs() <= 5e-7 * want.abs().max(0.1), "{x}: {got} {want}");
        }
    }
}
