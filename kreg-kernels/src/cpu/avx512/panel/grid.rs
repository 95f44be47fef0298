//! Panels of the grid types: planes of entries in sixteen rows at once, see `cpu::avx512::grid`.
//!
//! A transposed dword is four indices of one row, so a byte of the lookups is an entry. The weights come out in plane
//! order, which the activations follow ([`Panel::ORDER`](super::Panel::ORDER)).

use std::arch::x86_64::*;

use crate::cpu::avx512::grid::{EVEN, SEVENS, Table, look_up, pack, values};
use crate::cpu::avx512::load::{load512, select};

/// What is added to the weights of entries of eight: their largest magnitude.
pub(crate) const EIGHTS_OFFSET: u8 = 43;

/// What is added to the weights of entries of four.
pub(crate) const QUADS_OFFSET: u8 = 64;

/// The element of an entry of eight at bits 0, 2, 4 and 6 of byte A; byte B has the one four further on. With the sign of
/// element e at bit e no field lies on its sign.
const ELEMENTS: [u8; 4] = [2, 0, 1, 3];

/// Bytes A and B of entries of eight 2-bit fields.
pub(crate) const fn eights<const N: usize>(entries: &[u16; N]) -> [Table<N>; 2] {
    const fn fields(plus: u8) -> [(u32, u32); 4] {
        let [a, b, c, d] = ELEMENTS;
        [((a + plus) as u32, 0), ((b + plus) as u32, 2), ((c + plus) as u32, 4), ((d + plus) as u32, 6)]
    }
    [pack(entries, 2, &fields(0)), pack(entries, 2, &fields(4))]
}

/// Bytes A and B of entries of four 3-bit fields.
pub(crate) const fn quads<const N: usize>(entries: &[u16; N]) -> [Table<N>; 2] {
    [pack(entries, 3, &[(3, 0), (1, 3)]), pack(entries, 3, &[(2, 0), (0, 3)])]
}

/// Values of [`eights`] at each of their bits.
pub(crate) const fn eight_values(magnitudes: [u8; 3]) -> [[u8; 64]; 4] {
    let at = EIGHTS_OFFSET;
    [
        values(magnitudes, at, 0, 2),
        values(magnitudes, at, 2, 0),
        values(magnitudes, at, 4, 1),
        values(magnitudes, at, 0, 3),
    ]
}

/// Values of elements 0, 1 and 3 of [`quads`]; element 2 uses those of element 3, with the signs a bit further up.
pub(crate) const fn quad_values(magnitudes: [u8; 8]) -> [[u8; 64]; 3] {
    let at = QUADS_OFFSET;
    [values(magnitudes, at, 3, 0), values(magnitudes, at, 3, 1), values(magnitudes, at, 0, 3)]
}

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

/// Both bytes of the entries at `index` in a book of 256.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(crate) fn look_up_256(book: &[Table<256>; 2], index: __m512i) -> [__m512i; 2] {
    let upper = _mm512_movepi8_mask(index);
    let one = |i: usize| look_up(bytemuck::cast_ref(&book[i].0), index, upper);
    [one(0), one(1)]
}

/// Both bytes of the entries at `index` in a book of 512, whose upper half is for the bytes of `ninth`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(crate) fn look_up_512(book: &[Table<512>; 2], index: __m512i, ninth: __mmask64) -> [__m512i; 2] {
    let upper = _mm512_movepi8_mask(index);
    let one = |i: usize| {
        let halves: &[[[u8; 64]; 4]; 2] = bytemuck::cast_ref(&book[i].0);
        let half = |h: usize| look_up(&halves[h], index, upper);
        _mm512_mask_blend_epi8(ninth, half(0), half(1))
    };
    [one(0), one(1)]
}

/// Both bytes of the entries at `index` in a book of 1024, the ninth and tenth index bits as masks.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(crate) fn look_up_1024(
    book: &[Table<1024>; 2],
    index: __m512i,
    [ninth, tenth]: [__mmask64; 2],
) -> [__m512i; 2] {
    let upper = _mm512_movepi8_mask(index);
    let one = |i: usize| {
        let quarters: &[[[u8; 64]; 4]; 4] = bytemuck::cast_ref(&book[i].0);
        let quarter = |q: usize| look_up(&quarters[q], index, upper);
        let low = _mm512_mask_blend_epi8(ninth, quarter(0), quarter(1));
        let high = _mm512_mask_blend_epi8(ninth, quarter(2), quarter(3));
        _mm512_mask_blend_epi8(tenth, low, high)
    };
    [one(0), one(1)]
}

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

/// The weights of a plane: `mask` is where its field lies in `entries`, the rest of the index comes from `signs`.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
fn plane(mask: i8, entries: __m512i, signs: __m512i, values: &[u8; 64]) -> __m512i {
    _mm512_permutexvar_epi8(select(_mm512_set1_epi8(mask), entries, signs), load512(values))
}

/// The eight signs of each of four 7-bit numbers in a dword, a byte each: there is an even number of them.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,gfni")]
pub(crate) fn even_signs(v: __m512i) -> __m512i {
    let sevens = _mm512_multishift_epi64_epi8(load512(&SEVENS), v);
    _mm512_gf2p8affine_epi64_epi8::<0>(sevens, _mm512_set1_epi64(EVEN))
}

/// In byte `j` of each dword, its bits from `at + step * j`, for `at + 3 * step <= 31`; upper bits are of no meaning.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(crate) fn bits_from(v: __m512i, at: usize, step: usize) -> __m512i {
    let starts: [u8; 64] = std::array::from_fn(|i| (32 * (i / 4 % 2) + at + step * (i % 4)) as u8);
    _mm512_multishift_epi64_epi8(load512(&starts), v)
}
