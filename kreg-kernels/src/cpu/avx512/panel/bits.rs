//! Lane-wise steps that several unpackers share.

use std::arch::x86_64::*;

use super::integer::{Records, Sub32Min};
use crate::cpu::avx512::load::{load128, load512};
use crate::cpu::codebook::iq4_nl;

/// The f16 in the low half of each dword.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn f16_low(v: __m512i) -> __m512 {
    _mm512_cvtph_ps(_mm512_cvtepi32_epi16(v))
}

/// The f16 in the high half of each dword.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn f16_high(v: __m512i) -> __m512 {
    f16_low(_mm512_srli_epi32::<16>(v))
}

/// `-v`, a zero's sign included.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn negated(v: __m512) -> __m512 {
    _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(v), _mm512_set1_epi32(i32::MIN)))
}

/// The low and the high nibble of each byte.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn nibbles(v: __m512i) -> [__m512i; 2] {
    let low = _mm512_set1_epi8(15);
    [_mm512_and_si512(v, low), _mm512_and_si512(_mm512_srli_epi32::<4>(v), low)]
}

/// Bits `at..at + width` of each dword, as a float.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn field(v: __m512i, at: u32, width: u32) -> __m512 {
    _mm512_cvtepi32_ps(_mm512_and_si512(right(v, at), _mm512_set1_epi32((1 << width) - 1)))
}

/// `2 n + 1` for the nibble `n` at bit `at` of each dword, as a float.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn odd(v: __m512i, at: u32) -> __m512 {
    _mm512_fmadd_ps(field(v, at, 4), _mm512_set1_ps(2.0), _mm512_set1_ps(1.0))
}

/// Signed byte `j` of each dword, as a float.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn signed_byte(v: __m512i, j: u32) -> __m512 {
    _mm512_cvtepi32_ps(_mm512_srai_epi32::<24>(left(v, 24 - 8 * j)))
}

/// Each dword shifted right by `n` bits.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn right(v: __m512i, n: u32) -> __m512i {
    _mm512_srl_epi32(v, _mm_cvtsi32_si128(n.cast_signed()))
}

/// Each dword shifted left by `n` bits.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn left(v: __m512i, n: u32) -> __m512i {
    _mm512_sll_epi32(v, _mm_cvtsi32_si128(n.cast_signed()))
}

/// Bytes 0 and 1 of each dword as two 16-bit numbers, and bytes 2 and 3.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn byte_pairs(v: __m512i) -> [__m512i; 2] {
    let spread = |v| {
        let high = _mm512_and_si512(_mm512_slli_epi32::<8>(v), _mm512_set1_epi32(0x00ff_0000));
        _mm512_or_si512(_mm512_and_si512(v, _mm512_set1_epi32(0xff)), high)
    };
    [spread(v), spread(_mm512_srli_epi32::<16>(v))]
}

/// Bits `4k..4k + 4` of each dword as bit 4 of its four bytes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn fifth_bits(v: __m512i, k: usize) -> __m512i {
    const SPREAD: [u32; 16] = {
        let mut t = [0; 16];
        let mut i = 0;
        while i < 64 {
            t[i / 4] |= (((i as u32 / 4) >> (i % 4)) & 1) << (8 * (i % 4) + 4);
            i += 1;
        }
        t
    };
    // The permutation looks at the low four bits of an index only.
    _mm512_permutexvar_epi32(right(v, 4 * k as u32), load512(&SPREAD))
}

/// The values of IQ4_NL plus 128, for a byte shuffle.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn iq4_values() -> __m512i {
    const UNSIGNED: [u8; 16] = {
        let mut t = [0; 16];
        let mut i = 0;
        while i < 16 {
            t[i] = iq4_nl::VALUES[i].cast_unsigned() ^ 128;
            i += 1;
        }
        t
    };
    _mm512_broadcast_i32x4(load128(&UNSIGNED))
}

/// The first 16 bytes of Q4_K and Q5_K: f16 `d` and `dmin`, then eight 6-bit scales and eight 6-bit minimums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn six_bit_header(header: [__m512i; 4], out: &mut Records<'_, Sub32Min>) {
    let [d, low, mid, high] = header;
    let (six, four, top) = (_mm512_set1_epi8(63), _mm512_set1_epi8(15), _mm512_set1_epi8(48));
    // Of the upper four numbers the low nibbles are in `high`, the two bits above them over the lower four numbers.
    let upper = |nibbles, bits| {
        let bits = _mm512_and_si512(right(bits, 2), top);
        _mm512_or_si512(_mm512_and_si512(nibbles, four), bits)
    };
    let scales = [_mm512_and_si512(low, six), upper(high, low)];
    let mins = [_mm512_and_si512(mid, six), upper(right(high, 4), mid)];
    out.min_scale(negated(f16_high(d)));
    let d = f16_low(d);
    for half in 0..2 {
        for j in 0..4 {
            let scale = _mm512_mul_ps(d, field(scales[half], 8 * j, 8));
            out.scale(4 * half + j as usize, 0, scale);
        }
        for (p, pair) in byte_pairs(mins[half]).into_iter().enumerate() {
            out.min_pair(2 * half + p, pair);
        }
    }
}
