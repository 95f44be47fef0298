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
pub(crate) struct Table<const N: usize>(pub(super) [u8; N]);

/// The bytes made of one field per `(element, bit)`: element `element` of an entry of `width`-bit fields, at `bit`.
pub(crate) const fn pack<const N: usize>(entries: &[u16; N], width: u32, fields: &[(u32, u32)]) -> Table<N> {
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
pub(crate) const fn values<const V: usize>(magnitudes: [u8; V], bias: u8, field: u32, sign: u32) -> [u8; 64] {
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

/// The four scales of a group, `first + step * bits`, for each nibble.
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
pub(crate) const SEVENS: [u8; 64] = {
    let mut t = [0; 64];
    let mut i = 0;
    while i < 64 {
        t[i] = (7 * (i % 4) + 32 * (i / 4 % 2)) as u8;
        i += 1;
    }
    t
};

/// The bit matrix for vgf2p8affineqb that keeps bits 0 to 6 and makes bit 7 their parity: an even number of signs.
pub(crate) const EVEN: i64 = {
    let mut matrix = 0;
    let mut bit = 0;
    while bit < 8 {
        let from: i64 = if bit < 7 { 1 << bit } else { 0x7f };
        matrix |= from << (8 * (7 - bit));
        bit += 1;
    }
    matrix
};

/// The bytes of a 256-entry table at `index`. `upper` is bit 7 of each index.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
pub(crate) fn look_up(table: &[[u8; 64]; 4], index: __m512i, upper: u64) -> __m512i {
    let low = _mm512_permutex2var_epi8(load512(&table[0]), index, load512(&table[1]));
    let high = _mm512_permutex2var_epi8(load512(&table[2]), index, load512(&table[3]));
    _mm512_mask_blend_epi8(upper, low, high)
}

/// `sum` plus a plane: `mask` is where its field lies in `entries`, the rest of the index comes from `signs`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vnni")]
#[inline]
pub(crate) fn plane(
    sum: __m512i,
    mask: i8,
    entries: __m512i,
    signs: __m512i,
    values: &[u8; 64],
    q: &[i8; 64],
) -> __m512i {
    let index = select(_mm512_set1_epi8(mask), entries, signs);
    _mm512_dpbusd_epi32(sum, _mm512_permutexvar_epi8(index, load512(values)), load512(q))
}
