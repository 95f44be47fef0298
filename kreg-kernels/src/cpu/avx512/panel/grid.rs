//! Panels of the grid types: planes of entries in sixteen rows at once, see `cpu::avx512::grid`.
//!
//! A transposed dword is four indices of one row, so a byte of the lookups is an entry. The weights come out in plane
//! order, which the activations follow ([`Panel::ORDER`](super::Panel::ORDER)).

use std::arch::x86_64::*;

use crate::cpu::avx512::grid::{ELEMENTS, plane};
use crate::cpu::avx512::load::load512;

/// The order of [`eight_planes`]: half `h`, element `e` is `e` and `e + 4` of entries `2h` and `2h + 1`.
pub(crate) const EIGHTS_ORDER: [u8; 32] = {
    let mut order = [0; 32];
    let mut i = 0;
    while i < 32 {
        let (half, element, entry, upper) = (i / 16, ELEMENTS[i / 4 % 4], i % 2, i / 2 % 2);
        order[i] = (8 * (2 * half + entry) + 4 * upper) as u8 + element;
        i += 1;
    }
    order
};

/// The order of two times [`quad_planes`]: plane `e` is element `e` of four entries.
pub(crate) const QUADS_ORDER: [u8; 32] = {
    let mut order = [0; 32];
    let mut i = 0;
    while i < 32 {
        order[i] = (16 * (i / 16) + 4 * (i % 4) + i / 4 % 4) as u8;
        i += 1;
    }
    order
};

/// The eight quant vectors of four entries of eight in each lane, in [`EIGHTS_ORDER`]. Bit `e` of a byte of `signs` is
/// the sign of element `e`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(crate) fn eight_planes([a, b]: [__m512i; 2], signs: __m512i, v: &[[u8; 64]; 4]) -> [__m512i; 8] {
    // Neighbours share a scale in IQ2_S: a lane becomes [A A B B] of two entries, and the signs alike.
    let pairs = |low, high| {
        const UPPER: __mmask32 = 0xaaaa_aaaa;
        let first = _mm512_mask_blend_epi16(UPPER, low, _mm512_slli_epi32::<16>(high));
        [first, _mm512_mask_blend_epi16(UPPER, _mm512_srli_epi32::<16>(low), high)]
    };
    let [entries0, entries1] = pairs(a, b);
    let [signs0, signs1] = pairs(signs, _mm512_srli_epi16::<4>(signs));
    let four = |entries, signs| {
        let shifted = _mm512_srli_epi16::<6>(entries);
        [
            plane(0x03, entries, signs, &v[0]),
            plane(0x0c, entries, signs, &v[1]),
            plane(0x30, entries, signs, &v[2]),
            plane(0x03, shifted, signs, &v[3]),
        ]
    };
    bytemuck::cast([four(entries0, signs0), four(entries1, signs1)])
}

/// The four quant vectors of four entries of four in each lane, in [`QUADS_ORDER`]. The low nibble of a byte of `signs`
/// is an entry's signs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(crate) fn quad_planes([a, b]: [__m512i; 2], signs: __m512i, v: &[[u8; 64]; 3]) -> [__m512i; 4] {
    [
        plane(0x38, b, signs, &v[0]),
        plane(0x38, a, signs, &v[1]),
        plane(0x07, b, _mm512_add_epi8(signs, signs), &v[2]),
        plane(0x07, a, signs, &v[2]),
    ]
}

/// In byte `j` of each dword, its bits from `at + step * j`, for `at + 3 * step <= 31`; upper bits are of no meaning.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(crate) fn bits_from(v: __m512i, at: usize, step: usize) -> __m512i {
    let starts: [u8; 64] = std::array::from_fn(|i| (32 * (i / 4 % 2) + at + step * (i % 4)) as u8);
    _mm512_multishift_epi64_epi8(load512(&starts), v)
}
