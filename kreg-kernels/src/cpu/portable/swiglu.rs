//! SwiGLU: the gated unit of Llama's feed-forward layer.

use crate::cpu::math;

/// `gate[i] = silu(gate[i]) * up[i]` in place, with `silu(g) = g / (1 + e^-g)`; both of one length.
///
/// Large negative gates give zero; negative infinity gives NaN, as the formula does.
///
/// # Panics
/// When the lengths differ.
pub fn swiglu(gate: &mut [f32], up: &[f32]) {
    assert_eq!(gate.len(), up.len(), "gate and up must have one length");
    for (g, &u) in gate.iter_mut().zip(up) {
        *g = math::gated(*g, *g) * u;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::testing::assert_close;

    #[test]
    fn golden() {
        let mut gate = [1.0, -1.0, 0.0, 4.0];
        swiglu(&mut gate, &[2.0, 3.0, 5.0, -0.5]);
        assert_close(&gate, &[1.46211716, -0.806824264, 0.0, -1.96402758], 1e-7);
    }

    #[test]
    fn edges() {
        let mut gate = [-1000.0, 1000.0, f32::MIN, f32::NAN, f32::INFINITY, 1.0, f32::NEG_INFINITY];
        swiglu(&mut gate, &[3.0, 3.0, 3.0, 1.0, 2.0, f32::NAN, 1.0]);
        assert_eq!(gate[..3], [0.0, 3000.0, 0.0]);
        assert!(gate[3].is_nan() && gate[5].is_nan() && gate[6].is_nan());
        assert_eq!(gate[4], f32::INFINITY);
    }

    #[test]
    fn close_to_the_formula_everywhere() {
        let x: Vec<f32> = (-40_000..40_000).map(|i| i as f32 * 1e-3).collect();
        let mut got = x.clone();
        swiglu(&mut got, &vec![1.0; x.len()]);
        for (&x, &got) in x.iter().zip(&got) {
            let want = f64::from(x) / (1.0 + (-f64::from(x)).exp());
            assert!((f64::from(got) - want).abs() <= 4e-7 * want.abs(), "{x}: {got} {want}");
        }
    }
}
