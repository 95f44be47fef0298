//! Steps that the decoders of several types share. Byte arrays in, byte arrays or f32 out; all of it vectorises.

use std::hint::black_box;

use crate::cpu::codebook::iq4_nl::PAIRS;

/// The value of a little-endian f16, subnormals, Inf and NaN included. Without a branch, so that a row of them
/// vectorises on machines that have no such instruction.
#[inline]
pub(in crate::cpu) fn f16(bytes: [u8; 2]) -> f32 {
    let bits = u32::from(u16::from_le_bytes(bytes));
    let (sign, magnitude) = ((bits & 0x8000) << 16, bits & 0x7fff);
    // Exponent and mantissa at f32's places are the value over 2^112, whatever the exponent.
    let finite = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23);
    let infinite = if magnitude >= 0x7c00 { 0x7f80_0000 } else { 0 };
    f32::from_bits(finite.to_bits() | infinite | sign)
}

/// The nibbles of 16 bytes: the 16 low ones, then the 16 high ones.
#[inline]
pub(in crate::cpu) fn nibbles(bytes: &[u8; 16]) -> [u8; 32] {
    let mut codes = [0; 32];
    let (low, high) = codes.split_at_mut(16);
    for ((low, high), byte) in low.iter_mut().zip(high).zip(bytes) {
        (*low, *high) = (byte & 15, byte >> 4);
    }
    codes
}

/// Byte `i` is 0x80 where bit `i` of `bits` is set, else 0.
#[inline]
pub(in crate::cpu) const fn spread(bits: u8) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let one_in_each = (bits as u64 * EACH) & 0x8040_2010_0804_0201;
    // 0 stays below bit 7; a power of two up to 0x80 reaches it and never carries.
    (one_in_each + 0x7f * EACH) & (0x80 * EACH)
}

/// The values of 32 codes of IQ4_NL or IQ4_XS, stored as [`nibbles`] expects.
#[inline]
pub(in crate::cpu) fn values(codes: &[u8; 16], out: &mut [i8; 32]) {
    let pairs = codes.map(|code| PAIRS[usize::from(code)]);
    let (low, high) = out.split_at_mut(16);
    for ((low, high), pair) in low.iter_mut().zip(high).zip(pairs) {
        (*low, *high) = (pair as i8, (pair >> 8) as i8);
    }
}

/// 32 five-bit numbers: low four bits in `qs`, fifth bits in `qh`. `fifth` says what to OR into eight bytes for eight
/// fifth bits.
#[inline]
pub(in crate::cpu) fn fives(qs: &[u8; 16], qh: [u8; 4], fifth: impl Fn(u8) -> u64) -> [u8; 32] {
    const LOW: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    let [a, b] = [0, 1].map(|i| u64::from_le_bytes(qs.as_chunks().0[i]));
    let nibbles = [a & LOW, b & LOW, (a >> 4) & LOW, (b >> 4) & LOW];
    let mut codes = [0; 32];
    for ((out, nibbles), bits) in codes.as_chunks_mut().0.iter_mut().zip(nibbles).zip(qh) {
        *out = (nibbles | fifth(bits)).to_le_bytes();
    }
    codes
}

/// Eight magnitudes, none of them 0, as signed bytes: negative where a bit of `signs` is set.
#[inline]
pub(in crate::cpu) fn signed(magnitudes: u64, signs: u8) -> [i8; 8] {
    static MASKS: [u64; 256] = {
        let mut masks = [0; 256];
        let mut signs = 0;
        while signs < 256 {
            masks[signs] = (spread(signs as u8) >> 7) * 0xff;
            signs += 1;
        }
        masks
    };
    let mask = MASKS[usize::from(signs)];
    // -v is !v + 1, and !v is at most 0xfe, so no byte carries into the next.
    bytemuck::cast(((magnitudes ^ mask) + (mask & 0x0101_0101_0101_0101)).to_le_bytes())
}

/// The eight signs that seven stored bits stand for: the last makes the number of set bits even.
#[inline]
pub(in crate::cpu) fn even_signs(stored: u32) -> u8 {
    let seven = stored as u8 & 0x7f;
    seven | (seven.count_ones() as u8 & 1) << 7
}

/// `scale * q` for each `G` codes.
#[inline]
pub(in crate::cpu) fn scaled<const G: usize>(q: &[i8; 256], out: &mut [f32], scale: impl Fn(usize) -> f32) {
    for (g, (q, out)) in q.as_chunks::<G>().0.iter().zip(out.as_chunks_mut::<G>().0).enumerate() {
        let scale = black_box(scale(g));
        for (q, out) in q.iter().zip(out) {
            *out = scale * f32::from(*q);
        }
    }
}

/// `scale * q - minimum` for each `G` codes.
#[inline]
pub(in crate::cpu) fn affine<const G: usize>(
    q: &[u8; 256],
    out: &mut [f32],
    scale: impl Fn(usize) -> (f32, f32),
) {
    for (g, (q, out)) in q.as_chunks::<G>().0.iter().zip(out.as_chunks_mut::<G>().0).enumerate() {
        let (scale, minimum) = black_box(scale(g));
        for (q, out) in q.iter().zip(out) {
            *out = scale * f32::from(*q) - minimum;
        }
    }
}

/// Nibble `i` of `bytes`, low nibbles first.
#[inline]
pub(in crate::cpu) fn nibble(bytes: &[u8], i: usize) -> u8 {
    bytes[i / 2] >> (4 * (i % 2)) & 15
}

/// The eight 6-bit scales and eight 6-bit minimums of Q4_K and Q5_K.
///
/// Bytes 0..4 hold scales 0..4, bytes 4..8 minimums 0..4; their upper two bits, and the nibbles of bytes 8..12, make
/// scales and minimums 4..8.
#[inline]
pub(in crate::cpu) fn scales_and_minimums(packed: &[u8; 12]) -> ([u8; 8], [u8; 8]) {
    let (mut scales, mut minimums) = ([0; 8], [0; 8]);
    for i in 0..4 {
        let (s, m, both) = (packed[i], packed[4 + i], packed[8 + i]);
        (scales[i], scales[4 + i]) = (s & 63, both & 15 | s >> 6 << 4);
        (minimums[i], minimums[4 + i]) = (m & 63, both >> 4 | m >> 6 << 4);
    }
    (scales, minimums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f16_is_exact() {
        for bits in 0..=u16::MAX {
            let (got, expected) = (f16(bits.to_le_bytes()), half::f16::from_bits(bits).to_f32());
            assert!(got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(), "{bits:#06x}");
        }
    }

    #[test]
    fn spread_sets_the_top_bit_of_each_byte() {
        for bits in 0..=u8::MAX {
            let expected = std::array::from_fn(|i| (bits >> i & 1) << 7);
            assert_eq!(spread(bits).to_le_bytes(), expected, "{bits:#010b}");
        }
    }

    #[test]
    fn six_bit_scales() {
        // Six bits each; the pairs that share a byte are spelt `scale | minimum << 4` and `low | upper << 6`.
        let (scales, minimums) = ([1, 2, 3, 60, 5, 22, 39, 56], [63, 62, 1, 0, 59, 42, 25, 8]);
        let low = [1, 2 | 1 << 6, 3 | 2 << 6, 60 | 3 << 6, 63 | 3 << 6, 62 | 2 << 6, 1 | 1 << 6, 0];
        let packed: Vec<u8> =
            low.into_iter().chain([5 | 11 << 4, 6 | 10 << 4, 7 | 9 << 4, 8 | 8 << 4]).collect();
        let packed = packed.try_into().unwrap();
        assert_eq!(scales_and_minimums(&packed), (scales, minimums));
    }
}
