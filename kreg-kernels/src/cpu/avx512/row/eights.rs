//! Entries of eight 2-bit magnitudes: what IQ2_XXS and IQ2_S share. See `cpu::avx512::grid`.

use std::arch::x86_64::*;

use super::super::grid::plane;
use super::super::load::load512;

/// `start` plus the products of the four fields of `entries`, in the order of `cpu::avx512::grid::ELEMENTS`; bit e of
/// a byte of `signs` is the sign of element e.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx512vbmi")]
#[inline]
pub(super) fn dots(
    start: __m512i,
    entries: __m512i,
    signs: __m512i,
    values: &[[u8; 64]; 4],
    q: &[[i8; 64]; 4],
) -> __m512i {
    let add = |sum, w, q: &[i8; 64]| _mm512_dpbusd_epi32(sum, w, load512(q));
    let dots = add(start, plane(0x03, entries, signs, &values[0]), &q[0]);
    let dots = add(dots, plane(0x0c, entries, signs, &values[1]), &q[1]);
    let dots = add(dots, plane(0x30, entries, signs, &values[2]), &q[2]);
    add(dots, plane(0x03, _mm512_srli_epi16::<6>(entries), signs, &values[3]), &q[3])
}
