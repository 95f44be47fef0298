//! The index of the largest value.

use crate::cpu::math;

/// The lowest index among the largest values of `x`.
///
/// NaN is never the largest, and `-0.0` equals `+0.0`. The answer is 0 when nothing exceeds minus infinity: `x` is
/// empty, or all NaN and minus infinity. Indices are u32: the checks refuse anything longer.
pub fn argmax(x: &[f32]) -> u32 {
    let max = math::max(x);
    if max == f32::NEG_INFINITY {
        return 0;
    }
    x.iter().position(|&x| x == max).unwrap_or(0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::SampleRng;

    const NAN: f32 = f32::NAN;
    const INF: f32 = f32::INFINITY;

    #[test]
    fn golden() {
        assert_eq!(argmax(&[2.0, 1.0, 2.0]), 0);
        assert_eq!(argmax(&[NAN, 0.5, 1.0]), 2);
        assert_eq!(argmax(&[1.0, NAN, 0.5]), 0);
        assert_eq!(argmax(&[]), 0);
    }

    #[test]
    fn edges() {
        assert_eq!(argmax(&[NAN; 40]), 0);
        assert_eq!(argmax(&[-INF; 40]), 0);
        assert_eq!(argmax(&[NAN, -INF]), 0);
        assert_eq!(argmax(&[-1.0, -0.0, 0.0]), 1, "zeros tie");
        assert_eq!(argmax(&[0.0, INF, INF, NAN]), 1);
        assert_eq!(argmax(&[-3.0]), 0);
    }

    #[test]
    fn any_place_in_any_length() {
        for n in [1, 15, 16, 17, 100, 300_000] {
            for at in [0, n / 3, n / 2, n - 1] {
                let mut x = vec![-1.0; n];
                x[at] = 1.0;
                x[n - 1] = 1.0;
                assert_eq!(argmax(&x), at as u32, "{n}");
            }
        }
    }

    #[test]
    fn agrees_with_a_plain_scan() {
        let mut rng = SampleRng::new(4);
        for n in 1..200 {
            let x: Vec<f32> = (0..n).map(|_| (rng.next_f32() * 20.0).floor() - 9.0).collect();
            let mut best = 0;
            for (i, &v) in x.iter().enumerate() {
                if v > x[best] {
                    best = i;
                }
            }
            assert_eq!(argmax(&x), best as u32);
        }
    }
}
