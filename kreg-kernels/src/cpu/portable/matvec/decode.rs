//! Steps that the decoders of several types share. Byte arrays in, byte arrays or f32 out; all of it vectorises.

/// The value of a little-endian f16, subnormals, Inf and NaN included. Without a branch, so that a row of them
/// vectorises on machines that have no such instruction.
#[inline]
pub(super) fn f16(bytes: [u8; 2]) -> f32 {
    let bits = u32::from(u16::from_le_bytes(bytes));
    let (sign, magnitude) = ((bits & 0x8000) << 16, bits & 0x7fff);
    // Exponent and mantissa at f32's places are the value over 2^112, whatever the exponent.
    let finite = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23);
    let infinite = if magnitude >= 0x7c00 { 0x7f80_0000 } else { 0 };
    f32::from_bits(finite.to_bits() | infinite | sign)
}

/// The nibbles of 16 bytes: the 16 low ones, then the 16 high ones.
#[inline]
pub(super) fn nibbles(bytes: &[u8; 16]) -> [u8; 32] {
    std::array::from_fn(|i| if i < 16 { bytes[i] & 15 } else { bytes[i - 16] >> 4 })
}

/// Byte `i` is 0x80 where bit `i` of `bits` is set, else 0.
#[inline]
pub(super) fn spread(bits: u8) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let one_in_each = (u64::from(bits) * EACH) & 0x8040_2010_0804_0201;
    // 0 stays below bit 7; a power of two up to 0x80 reaches it and never carries.
    (one_in_each + 0x7f * EACH) & (0x80 * EACH)
}

/// `32` five-bit numbers: low four bits in `qs`, fifth bits in `qh`.
#[inline]
pub(super) fn fives(qh: [u8; 4], qs: &[u8; 16]) -> [u8; 32] {
    let mut q = nibbles(qs);
    for (q, bits) in q.as_chunks_mut::<8>().0.iter_mut().zip(qh) {
        *q = (u64::from_le_bytes(*q) | (spread(bits) >> 3)).to_le_bytes();
    }
    q
}

/// Eight magnitudes, none of them 0, as signed bytes: negative where a bit of `signs` is set.
#[inline]
pub(super) fn signed(magnitudes: u64, signs: u8) -> [i8; 8] {
    let ones = spread(signs) >> 7;
    // -v is !v + 1, and !v is at most 0xfe, so no byte carries into the next.
    ((magnitudes ^ (0xff * ones)) + ones).to_le_bytes().map(u8::cast_signed)
}

/// The eight signs that seven stored bits stand for: the last makes the number of set bits even.
#[inline]
pub(super) fn even_signs(stored: u32) -> u8 {
    let seven = stored as u8 & 0x7f;
    seven | (seven.count_ones() as u8 & 1) << 7
}

/// `scale * q` for each `G` codes.
#[inline]
pub(super) fn scaled<const G: usize>(q: &[i8; 256], out: &mut [f32; 256], scale: impl Fn(usize) -> f32) {
    for (g, (q, out)) in q.as_chunks::<G>().0.iter().zip(out.as_chunks_mut::<G>().0).enumerate() {
        let scale = scale(g);
        for (q, out) in q.iter().zip(out) {
            *out = scale * f32::from(*q);
        }
    }
}

/// `scale * q - minimum` for each `G` codes.
#[inline]
pub(super) fn affine<const G: usize>(
    q: &[u8; 256],
    out: &mut [f32; 256],
    scale: impl Fn(usize) -> (f32, f32),
) {
    for (g, (q, out)) in q.as_chunks::<G>().0.iter().zip(out.as_chunks_mut::<G>().0).enumerate() {
        let (scale, minimum) = scale(g);
        for (q, out) in q.iter().zip(out) {
            *out = scale * f32::from(*q) - minimum;
        }
    }
}

/// Nibble `i` of `bytes`, low nibbles first.
#[inline]
pub(super) fn nibble(bytes: &[u8], i: usize) -> u8 {
    bytes[i / 2] >> (4 * (i % 2)) & 15
}

/// The eight 6-bit scales and eight 6-bit minimums of Q4_K and Q5_K.
///
/// Bytes 0..4 hold scales 0..4, bytes 4..8 minimums 0..4; their upper two bits, and the nibbles of bytes 8..12, make
/// scales and minimums 4..8.
#[inline]
pub(super) fn scales_and_minimums(packed: &[u8; 12]) -> ([u8; 8], [u8; 8]) {
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
