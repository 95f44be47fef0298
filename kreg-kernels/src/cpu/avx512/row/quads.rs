//! Entries of four 3-bit magnitudes, 64 to a super-block: what IQ3_XXS and IQ3_S share. See `cpu::avx512::grid`.
//!
//! A 32-bit lane is four entries, 16 weights.

use std::arch::x86_64::*;

use bytemuck::Zeroable;

use super::super::grid::{QUADS_OFFSET, plane};
use super::super::load::load512;
use super::super::quantise::{quantise, sum};
use super::record;

record! {
    /// Activations for one super-block.
    Acts {
        /// plane by plane: element p of each of the 64 entries
        q: [[i8; 64]; 4],
        /// what the integer sums start from
        start: [i32; 16],
        /// their scale
        scale: f32,
        pad: [u8; 60],
    }
}

/// Quantises `x` per 256 and lays it out in `acts`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
pub(super) fn prepare(x: &[f32], acts: &mut [Acts]) {
    for (x, a) in x.as_chunks::<256>().0.iter().zip(acts) {
        let (codes, scale) = quantise(x);
        *a = Acts { scale, ..Zeroable::zeroed() };
        for (i, entry) in codes.as_chunks::<4>().0.iter().enumerate() {
            for (plane, &q) in a.q.iter_mut().zip(entry) {
                plane[i] = q;
            }
        }
        for (start, codes) in a.start.iter_mut().zip(codes.as_chunks::<16>().0) {
            *start = -i32::from(QUADS_OFFSET) * sum(codes);
        }
    }
}

/// The products of 64 entries, whose bytes are `ea` and `eb` and whose signs are the low nibbles of `signs`.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx512vbmi")]
#[inline]
pub(super) fn dots([ea, eb]: [__m512i; 2], signs: __m512i, v: &[[u8; 64]; 3], a: &Acts) -> __m512i {
    let add = |sum, w, q: &[i8; 64]| _mm512_dpbusd_epi32(sum, w, load512(q));
    let dots = add(load512(&a.start), plane(0x07, ea, signs, &v[2]), &a.q[3]);
    let dots = add(dots, plane(0x38, ea, signs, &v[1]), &a.q[1]);
    let dots = add(dots, plane(0x38, eb, signs, &v[0]), &a.q[0]);
    add(dots, plane(0x07, eb, _mm512_add_epi8(signs, signs), &v[2]), &a.q[2])
}

/// The nibbles of 32 bytes, one to the low half of each of 64 bytes.
#[target_feature(enable = "avx512f,avx512vbmi")]
#[inline]
pub(super) fn nibbles(bytes: __m256i) -> __m512i {
    const TWICE: [u64; 8] = [0, 0, 1, 1, 2, 2, 3, 3];
    const STARTS: [u8; 64] = {
        let mut t = [0; 64];
        let mut i = 0;
        while i < 64 {
            t[i] = (4 * (i % 16)) as u8;
            i += 1;
        }
        t
    };
    let twice = _mm512_permutexvar_epi64(load512(&TWICE), _mm512_castsi256_si512(bytes));
    _mm512_multishift_epi64_epi8(load512(&STARTS), twice)
}
