//! SwiGLU: the gated unit of Llama's feed-forward layer.

use crate::cpu::{math, split};

/// `gate[i] = silu(gate[i]) * up[i]` in place, with `silu(g) = g / (1 + e^-g)`; both of one length.
///
/// Large negative gates give zero; negative infinity gives NaN, as the formula does.
///
/// # Panics
/// When the lengths differ.
pub fn swiglu(gate: &mut [f32], up: &[f32]) {
    assert_eq!(gate.len(), up.len(), "gate and up must have one length");
    split::by_elements(gate, |first, gate| {
        for (g, &u) in gate.iter_mut().zip(&up[first..]) {
            *g = math::gated(*g, *g) * u;
        }
    });
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
    fn any_number_of_threads_gives_the_same_bits() {
        for n in [1, 4097, 100_003] {
            let x: Vec<f32> = (0..n).map(|i| (i as f32 * 0.37).sin() * 9.0).collect();
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut gate = x.clone();
                pool.install(|| crate::cpu::step(|| swiglu(&mut gate, &x)));
                gate.iter().map(|g| g.to_bits()).collect::<Vec<_>>()
            };
            let one = run(1);
            let want: Vec<u32> = x.iter().map(|&x| (math::gated(x, x) * x).to_bits()).collect();
            assert_eq!(one, want);
            assert_eq!(run(2), one);
            assert_eq!(run(5), one);
        }
        // So many threads that pieces of whole cache lines are fewer.
        let mut gate = vec![1.0; 128 * 4096 + 1];
        let up = gate.clone();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(128).build().unwrap();
        pool.install(|| crate::cpu::step(|| swiglu(&mut gate, &up)));
        assert!(gate.iter().all(|&y| y == gate[0]));
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
