//! IQ2_S: two super-blocks are 64 indices into 1024 entries, see `cpu::avx512::grid`. Index bits 8 and 9 come out of
//! their bytes as masks by pext.
//!
//! A scale covers two indices only, so after the lookup the A and B bytes of neighbours are interleaved: a 32-bit lane
//! is `[A A B B]` of two indices, one scale again. The sign byte is interleaved with itself shifted by four, so that
//! one table serves element e of byte A and element e + 4 of byte B.

use std::arch::x86_64::*;

use bytemuck::Zeroable;

use super::super::grid::{EIGHTS_OFFSET, ELEMENTS, look_up_1024, scales};
use super::super::load::{load_ps, load256, load512, reduce, scale_halves};
use super::super::matvec::iq2_s::{BOOK, VALUES};
use super::super::quantise::{quantise, sum};
use super::eights;
use super::{Row, Single, blocks, record, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::{BlockIQ2_S, IQ2_S};

record! {
    /// Activations for two super-blocks, the second one empty at the end of an odd row.
    Acts {
        /// for the lower and the upper half of the interleaving, element e and element e + 4 for each e of [`ELEMENTS`]
        q: [[[i8; 64]; 4]; 2],
        /// what the integer sums of each half start from
        start: [[i32; 16]; 2],
        /// activation scale of each super-block
        scale: [f32; 2],
        pad: [u8; 56],
    }
}

/// The super-block after the last one of an odd row.
const NONE: BlockIQ2_S = BlockIQ2_S { d: [0; 2], qs: [0; 32], signs: [0; 32], qh: [0; 8], scales: [0; 8] };

const SCALES: [f32; 16] = scales(0.125, 0.25);

/// For the lower half of the interleaving: which dword of the sixteen scale bytes serves each 32-bit lane, and where
/// its nibble begins there. The upper half's nibbles lie 16 bits on.
const SCALE_DWORDS: [u32; 16] = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3];
const NIBBLES: [u32; 16] = [0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12];

/// 32 bytes of each of two blocks.
#[target_feature(enable = "avx512f")]
#[inline]
fn both(first: &[u8; 32], second: &[u8; 32]) -> __m512i {
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(load256(first)), load256(second))
}

impl Row for IQ2_S {
    type Acts = Acts;
    const CHUNK: usize = 512;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,bmi2")]
    unsafe fn prepare(x: &[f32], acts: &mut [Acts]) {
        acts.fill(Zeroable::zeroed());
        for (j, x) in x.as_chunks::<256>().0.iter().enumerate() {
            let a = &mut acts[j / 2];
            let (q, s) = quantise(x);
            for (g, group) in q.as_chunks::<16>().0.iter().enumerate() {
                // Interleaving works within 128-bit lanes: eight groups, four to each half.
                let (half, lane) = (g % 8 / 4, 8 * (j % 2) + 4 * (g / 8) + g % 4);
                a.start[half][lane] = -i32::from(EIGHTS_OFFSET) * sum(group);
                for (plane, element) in a.q[half].iter_mut().zip(ELEMENTS) {
                    let at = |entry: usize, plus: usize| group[8 * entry + usize::from(element) + plus];
                    let quad = [at(0, 0), at(1, 0), at(0, 4), at(1, 4)];
                    plane[4 * lane..4 * lane + 4].copy_from_slice(&quad);
                }
            }
            a.scale[j % 2] = s;
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,bmi2")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Acts], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 1>(w, acts, out) }
    }
}

impl Single for IQ2_S {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,bmi2")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        const EVEN_BITS: u64 = 0x5555_5555_5555_5555;
        let rows = blocks(w, rows);
        let (dwords, starts) = (load512(&SCALE_DWORDS), load512(&NIBBLES));
        let mut sums = [_mm512_setzero_ps(); S];
        for (c, a) in acts.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let (b0, b1) = (&row[2 * c], row.get(2 * c + 1).unwrap_or(&NONE));
                let (index, signs) = (both(&b0.qs, &b1.qs), both(&b0.signs, &b1.signs));
                let (h0, h1) = (u64::from_le_bytes(b0.qh), u64::from_le_bytes(b1.qh));
                let bit8 = _pext_u64(h0, EVEN_BITS) | _pext_u64(h1, EVEN_BITS) << 32;
                let bit9 = _pext_u64(h0, !EVEN_BITS) | _pext_u64(h1, !EVEN_BITS) << 32;
                let [ea, eb] = look_up_1024(&BOOK, index, [bit8, bit9]);
                let signs4 = _mm512_srli_epi16::<4>(signs);
                let half = |h: usize, entries, signs| {
                    let start = load512(&a.start[h]);
                    _mm512_cvtepi32_ps(eights::dots(start, entries, signs, &VALUES, &a.q[h]))
                };
                let low = half(0, _mm512_unpacklo_epi16(ea, eb), _mm512_unpacklo_epi16(signs, signs4));
                let high = half(1, _mm512_unpackhi_epi16(ea, eb), _mm512_unpackhi_epi16(signs, signs4));
                let [s0, s1] = [b0.scales, b1.scales].map(i64::from_le_bytes);
                let packed = _mm512_castsi128_si512(_mm_set_epi64x(s1, s0));
                let packed = _mm512_srlv_epi32(_mm512_permutexvar_epi32(dwords, packed), starts);
                let low_scales = _mm512_permutexvar_ps(packed, load_ps(&SCALES));
                let high_scales = _mm512_permutexvar_ps(_mm512_srli_epi32::<16>(packed), load_ps(&SCALES));
                let d = scale_halves([b0.d, b1.d], a.scale);
                let dots = _mm512_fmadd_ps(low, low_scales, _mm512_mul_ps(high, high_scales));
                *sum = _mm512_fmadd_ps(dots, d, *sum);
            }
        }
        reduce(sums)
    }
}
