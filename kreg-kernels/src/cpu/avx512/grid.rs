//! Codebooks as byte tables, looked up 64 indices at once: what the four grid types share.
//!
//! An entry is never expanded in place. For 64 indices one lookup yields byte A of each packed entry and one byte B,
//! four fields of 2 bits or two of 3 bits each. Field e of all 64 bytes is a *plane*, and activations are laid out
//! plane by plane (byte j of plane e is element e of entry j). So a plane takes three instructions: a select that puts
//! the sign bit beside the field, a byte shuffle in a table of 64 values that is the same for all bits that do not
//! matter, and the dot product. Values are `bias + v` or `bias - v`, unsigned; the bias is in the sum's start.

use std::arch::x86_64::*;

use super::load::{load512, select};

/// A byte table, on a cache line.
#[repr(C, align(64))]
pub(crate) struct Table<const N: usize>([u8; N]);

/// The bytes made of one field per `(element, bit)`: element `element` of an entry of `width`-bit fields, at `bit`.
const fn pack<const N: usize>(entries: &[u16; N], width: u32, fields: &[(u32, u32)]) -> Table<N> {
    let mut table = [0; N];
    let mut i = 0;
    while i < N {
        let mut f = 0;
        while f < fields.len() {
            let (element, bit) = fields[f];
            let field = entries[i] >> (width * element) & ((1 << width) - 1);
            table[i] |= (field << bit) as u8;
            f += 1;
        }
        i += 1;
    }
    Table(table)
}

/// A plane's values: `bias + v` where bit `sign` of the index is clear, else `bias - v`, with v the magnitude that the
/// `width` bits from `field` name. Other bits of the index change nothing.
const fn values<const V: usize>(magnitudes: [u8; V], bias: u8, field: u32, sign: u32) -> [u8; 64] {
    let width = V.next_power_of_two().trailing_zeros();
    let mut table = [0; 64];
    let mut i = 0;
    while i < 64 {
        let f = i >> field & ((1 << width) - 1);
        let v = if f < V { magnitudes[f] } else { 0 };
        table[i] = if i >> sign & 1 == 1 { bias - v } else { bias + v };
        i += 1;
    }
    table
}

/// What is added to the weights of entries of eight: their largest magnitude.
pub(crate) const EIGHTS_OFFSET: u8 = 43;

/// What is added to the weights of entries of four.
pub(crate) const QUADS_OFFSET: u8 = 64;

/// The element of an entry of eight at bits 0, 2, 4 and 6 of byte A; byte B has the one four further on. With the sign of
/// element e at bit e no field lies on its sign.
pub(crate) const ELEMENTS: [u8; 4] = [2, 0, 1, 3];

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

/// The scale of a group, `first + step * nibble`, for each nibble.
pub(crate) const fn scales(first: f32, step: f32) -> [f32; 16] {
    let mut table = [0.0; 16];
    let mut i = 0;
    while i < 16 {
        table[i] = first + step * i as f32;
        i += 1;
    }
    table
}

/// For vpmultishiftqb: the four 7-bit fields of each dword, one a byte.
const SEVENS: [u8; 64] = {
    let mut t = [0; 64];
    let mut i = 0;
    while i < 64 {
        t[i] = (7 * (i % 4) + 32 * (i / 4 % 2)) as u8;
        i += 1;
    }
    t
};

/// The bit matrix for vgf2p8affineqb that keeps bits 0 to 6 and makes bit 7 their parity: an even number of signs.
const EVEN: i64 = {
    let mut matrix = 0;
    let mut bit = 0;
    while bit < 8 {
        let from: i64 = if bit < 7 { 1 << bit } else { 0x7f };
        matrix |= from << (8 * (7 - bit));
        bit += 1;
    }
    matrix
};

/// The bytes of a table at `index`, 128 entries a step: step `i` replaces the indices of `steps[i]`. Every index belongs
/// to one step, so that a byte which has been looked up stays.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn look_up<const STEPS: usize>(
    table: &[[[u8; 64]; 2]; STEPS],
    index: __m512i,
    steps: [__mmask64; STEPS],
) -> __m512i {
    let mut bytes = index;
    for ([low, high], step) in table.iter().zip(steps) {
        bytes = _mm512_mask2_permutex2var_epi8(load512(low), bytes, step, load512(high));
    }
    bytes
}

/// Both bytes of the entries at `index` in a book of 256.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(crate) fn look_up_256(book: &[Table<256>; 2], index: __m512i) -> [__m512i; 2] {
    let upper = _mm512_movepi8_mask(index);
    let steps = [!upper, upper];
    let one = |i: usize| look_up::<2>(bytemuck::cast_ref(&book[i].0), index, steps);
    [one(0), one(1)]
}

/// Both bytes of the entries at `index` in a book of 512, whose upper half is for the bytes of `ninth`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(crate) fn look_up_512(book: &[Table<512>; 2], index: __m512i, ninth: __mmask64) -> [__m512i; 2] {
    let upper = _mm512_movepi8_mask(index);
    let steps = [!ninth & !upper, !ninth & upper, ninth & !upper, ninth & upper];
    let one = |i: usize| look_up::<4>(bytemuck::cast_ref(&book[i].0), index, steps);
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
    let steps = [!upper, upper];
    let one = |i: usize| {
        // Eight steps in a row would need more masks than there are.
        let quarters: &[[[[u8; 64]; 2]; 2]; 4] = bytemuck::cast_ref(&book[i].0);
        let quarter = |q: usize| look_up(&quarters[q], index, steps);
        let low = _mm512_mask_blend_epi8(ninth, quarter(0), quarter(1));
        let high = _mm512_mask_blend_epi8(ninth, quarter(2), quarter(3));
        _mm512_mask_blend_epi8(tenth, low, high)
    };
    [one(0), one(1)]
}

/// The weights of a plane, unsigned: `mask` is where its field lies in `entries`, the rest of the index comes from
/// `signs`.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
pub(crate) fn plane(mask: i8, entries: __m512i, signs: __m512i, values: &[u8; 64]) -> __m512i {
    _mm512_permutexvar_epi8(select(_mm512_set1_epi8(mask), entries, signs), load512(values))
}

/// The eight signs of each of four 7-bit numbers in a dword, a byte each: there is an even number of them.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,gfni")]
pub(crate) fn even_signs(v: __m512i) -> __m512i {
    let sevens = _mm512_multishift_epi64_epi8(load512(&SEVENS), v);
    _mm512_gf2p8affine_epi64_epi8::<0>(sevens, _mm512_set1_epi64(EVEN))
}
