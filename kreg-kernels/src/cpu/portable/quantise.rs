//! Activations as signed bytes: the one rule of every CPU level, to the bit.
//!
//! `s = amax / 127`, `q = round(x * (127 / amax))`, halves to even, within -127..=127. Then a pair of products with
//! 8-bit weights fits 16 bits, and all levels agree.

/// Added to a value in -2^22..2^22 and read as bits, gives the integer nearest to it: the sum's unit is 1.
const ROUND: f32 = 12_582_912.0;

/// Quantises one block `x` to codes `q` of the same length and returns the scale: `x` is about `scale * q`.
///
/// | block | scale | codes |
/// |---|---|---|
/// | finite | `amax / 127` | nearest, halves to even |
/// | so small that `127 / amax` overflows, zeros included | 0 | 0 |
/// | with an Inf, no NaN | Inf | the sign where infinite, else 0 |
/// | with a NaN | NaN | 0 |
///
/// So Inf and NaN survive into every product that they take part in.
// Always inlined: with a level's features it becomes that level's instructions, and none of them rounds otherwise.
#[inline(always)]
pub(crate) fn quantise<Q: From<i8>>(x: &[f32], q: &mut [Q]) -> f32 {
    // Without their sign, floats order like their bits: finite < Inf < NaN.
    let amax = x.iter().map(|x| x.to_bits().cast_signed() & i32::MAX).fold(0, i32::max);
    let amax = f32::from_bits(amax.cast_unsigned());
    let inverse = 127.0 / amax;
    if amax.is_finite() && inverse.is_finite() {
        for (q, x) in q.iter_mut().zip(x) {
            let rounded = (x * inverse + ROUND).to_bits().wrapping_sub(ROUND.to_bits()).cast_signed();
            *q = Q::from(rounded.clamp(-127, 127) as i8);
        }
        return amax / 127.0;
    }
    for (q, x) in q.iter_mut().zip(x) {
        *q = Q::from(if amax == f32::INFINITY && x.is_infinite() { x.signum() as i8 } else { 0 });
    }
    if amax.is_finite() { 0.0 } else { amax }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantised(x: &[f32]) -> (f32, Vec<i8>) {
        let mut q = vec![99; x.len()];
        (quantise(x, &mut q), q)
    }

    #[test]
    fn halves_go_to_even() {
        let x = [127.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.499_999_97, 125.5, 126.5, -126.5];
        assert_eq!(quantised(&x), (1.0, vec![127, 0, 2, 2, 0, -2, -2, 0, 126, 126, -126]));
    }

    #[test]
    fn agrees_with_the_rule_in_words() {
        // Magnitudes from subnormal scales to the largest finite value.
        for exponent in (-120..128).step_by(3) {
            let x: Vec<f32> = (0..32u32)
                .map(|i| {
                    2f32.powi(exponent) * (i.wrapping_mul(2_654_435_769).cast_signed() as f32 / 2f32.powi(31))
                })
                .collect();
            let amax = x.iter().fold(0f32, |a, x| a.max(x.abs()));
            let codes =
                x.iter().map(|x| (x * (127.0 / amax)).round_ties_even().clamp(-127.0, 127.0) as i8).collect();
            assert_eq!(quantised(&x), (amax / 127.0, codes), "2^{exponent}");
        }
    }

    #[test]
    fn the_smallest_blocks_are_zero() {
        assert_eq!(quantised(&[0.0, -0.0]), (0.0, vec![0, 0]));
        assert_eq!(quantised(&[1e-45, -1e-38]), (0.0, vec![0, 0]));
        assert_eq!(quantised(&[f32::MIN_POSITIVE, -3.7e-37]), (0.0, vec![0, 0]), "127 / 3.7e-37 overflows");
        let (scale, codes) = quantised(&[3.8e-37, -3.8e-37]);
        assert_eq!((scale, codes), (3.8e-37 / 127.0, vec![127, -127]));
    }

    #[test]
    fn inf_and_nan_survive() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        assert_eq!(quantised(&[1.0, inf, -inf, 0.0]), (inf, vec![0, 1, -1, 0]));
        for x in [[1.0, nan, 2.0], [nan, inf, 1.0], [-inf, -nan, 1.0]] {
            let (scale, codes) = quantised(&x);
            assert!(scale.is_nan());
            assert_eq!(codes, [0, 0, 0]);
        }
        assert_eq!(quantised(&[f32::MAX, f32::MIN]), (f32::MAX / 127.0, vec![127, -127]));
    }
}
