//! Activations as signed bytes, to the bit as the portable level quantises them.

use std::arch::x86_64::*;

use super::load::load_ps;

/// Quantises one block of 32 or 256 activations and returns its codes and its scale: `x` is about `scale * q`.
///
/// `scale = amax / 127`, `q = round(x * (127 / amax))`, halves to even. A block so small that `127 / amax` overflows
/// is zero; one with an Inf has an infinite scale and codes -1, 0, 1; one with a NaN has a NaN scale.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
pub(crate) fn quantise<const N: usize>(x: &[f32; N]) -> ([i8; N], f32) {
    let (lines, []) = x.as_chunks::<16>() else { unreachable!("blocks are whole lines") };
    let magnitude = _mm512_set1_epi32(i32::MAX);
    let mut max = _mm512_setzero_si512();
    for line in lines {
        // Without their sign, floats order like their bits, NaN above Inf above all else: max_ps would lose a NaN.
        let bits = _mm512_and_si512(magnitude, _mm512_castps_si512(load_ps(line)));
        max = _mm512_max_epi32(max, bits);
    }
    let amax = f32::from_bits(_mm512_reduce_max_epi32(max).cast_unsigned());
    let inverse = 127.0 / amax;
    if !(amax < f32::INFINITY && inverse < f32::INFINITY) {
        return outlier(x, amax);
    }
    let mut q = [0; N];
    for (line, q) in lines.iter().zip(q.as_chunks_mut::<16>().0) {
        // |x * inverse| < 127.5, so the conversion needs no clamp.
        let codes = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_set1_ps(inverse), load_ps(line)));
        *q = bytemuck::cast::<u128, _>(to_bits(_mm512_cvtepi32_epi8(codes)));
    }
    (q, amax / 127.0)
}

/// The register's bytes, the first lowest.
#[target_feature(enable = "avx512f")]
#[inline]
fn to_bits(v: __m128i) -> u128 {
    u128::from(_mm_extract_epi64::<1>(v).cast_unsigned()) << 64
        | u128::from(_mm_cvtsi128_si64(v).cast_unsigned())
}

/// The blocks that the rule's formula does not cover: all but zero, infinite, or not numbers.
#[cold]
fn outlier<const N: usize>(x: &[f32; N], amax: f32) -> ([i8; N], f32) {
    if amax == f32::INFINITY {
        return (x.map(|x| if x.is_infinite() { x.signum() as i8 } else { 0 }), amax);
    }
    ([0; N], if amax.is_nan() { f32::NAN } else { 0.0 })
}

/// The sum of each four codes, in order.
#[inline]
pub(crate) fn quad_sums<const N: usize>(q: &[i8]) -> [i32; N] {
    let quads = q.as_chunks::<4>().0;
    std::array::from_fn(|i| quads[i].iter().map(|&q| i32::from(q)).sum())
}

/// The sum of all codes.
#[inline]
pub(crate) fn sum(q: &[i8]) -> i32 {
    q.iter().map(|&q| i32::from(q)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::portable::quantise as portable;
    use crate::reference::workload::Random;
    use crate::target::{Features, Target};

    /// Codes and scale of both levels.
    fn both<const N: usize>(x: &[f32; N]) -> [(Vec<i8>, u32); 2] {
        // SAFETY: the test has asked for the features.
        let (q, s) = unsafe { quantise(x) };
        let mut codes = vec![99; N];
        let scale = portable::quantise(x, &mut codes);
        [(q.to_vec(), s.to_bits()), (codes, scale.to_bits())]
    }

    #[test]
    fn agrees_with_the_portable_level_to_the_bit() {
        let needs = const { Features::parse("avx512f+avx512bw+avx512vl") };
        if !Target::detected().features().contains(needs) {
            return println!("skipped: this CPU lacks one of {needs}");
        }
        let mut rng = Random::new(40);
        let specials =
            [0.0, -0.0, 1e-45, 3.7e-37, 3.8e-37, f32::MAX, f32::INFINITY, -f32::INFINITY, f32::NAN];
        for exponent in (-149..128).step_by(3) {
            for special in specials {
                for at in [0, 15, 31] {
                    let mut x: [f32; 256] =
                        std::array::from_fn(|_| rng.normal() as f32 * 2f32.powi(exponent));
                    // Halves, where the nearest code is a tie.
                    x[32..64].fill_with(|| 2f32.powi(exponent) * (rng.bits() % 255) as f32 / 2.0);
                    x[63] = 127.0 * 2f32.powi(exponent);
                    let [ours, theirs] = both(x[32..].first_chunk::<32>().unwrap());
                    assert_eq!(ours, theirs, "ties at 2^{exponent}");
                    x[at] = special;
                    let [ours, theirs] = both(x.first_chunk::<32>().unwrap());
                    assert_eq!(ours, theirs, "2^{exponent}, {special} at {at}");
                    let [ours, theirs] = both(&x);
                    assert_eq!(ours, theirs, "2^{exponent}, {special} at {at} of 256");
                }
            }
        }
    }
}
