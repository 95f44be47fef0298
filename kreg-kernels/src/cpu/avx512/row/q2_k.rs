//! Q2_K: `scale * q` is at most 45, so a table of four bytes per plane and lane holds it.

use std::arch::x86_64::*;

use super::super::load::{load128, load256, load512, reduce, scale_pair};
use super::planes::{Acts, group, prepare};
use super::{Row, Single, blocks, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::Q2_K;

/// The group whose scale serves dword `p` of 128-bit lane `lane`: plane `p` there.
const GROUPS: [u8; 16] = {
    let mut t = [0; 16];
    let mut i = 0;
    while i < 16 {
        t[i] = group(i % 4, i / 4) as u8;
        i += 1;
    }
    t
};

impl Row for Q2_K {
    type Acts = Acts;
    const CHUNK: usize = 256;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn prepare(x: &[f32], acts: &mut [Acts]) {
        prepare(x, acts, 0);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Acts], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 4>(w, acts, out) }
    }
}

impl Single for Q2_K {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        let rows = blocks(w, rows);
        let (two, nibble) = (_mm512_set1_epi8(3), _mm_set1_epi8(15));
        let values = _mm512_set1_epi32(0x0302_0100);
        let groups = load128(&GROUPS);
        let mut sums = [(_mm512_setzero_ps(), _mm256_setzero_ps()); S];
        for (c, a) in acts.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let b = &row[c];
                let packed = load128(&b.scales);
                let scales = _mm_shuffle_epi8(_mm_and_si128(packed, nibble), groups);
                // Dword p of a lane: 0, 1, 2, 3 times the scale of plane p's group.
                let table = _mm512_mullo_epi32(_mm512_cvtepu8_epi32(scales), values);
                let w = load512(&b.qs);
                let planes =
                    [w, _mm512_srli_epi16::<2>(w), _mm512_srli_epi16::<4>(w), _mm512_srli_epi16::<6>(w)];
                let mut dots = _mm512_setzero_si512();
                for (p, (&w, q)) in planes.iter().zip(&a.q).enumerate() {
                    // (w & 3) | 4 p: the byte of the table.
                    let dword = _mm512_set1_epi8(4 * p as i8);
                    let index = _mm512_ternarylogic_epi32::<0xF8>(dword, w, two);
                    dots = _mm512_dpbusd_epi32(dots, _mm512_shuffle_epi8(table, index), load512(q));
                }
                let mins = _mm256_cvtepu8_epi16(_mm_and_si128(_mm_srli_epi16::<4>(packed), nibble));
                let mins = _mm256_madd_epi16(mins, load256(&a.sums));
                let d = scale_pair(u32::from_le_bytes(bytemuck::cast([b.d, b.dmin])), a.scale);
                sum.0 = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), _mm512_broadcastss_ps(d), sum.0);
                let dmin = _mm256_broadcastss_ps(_mm_movehdup_ps(d));
                sum.1 = _mm256_fmadd_ps(_mm256_cvtepi32_ps(mins), dmin, sum.1);
            }
        }
        let mut totals = [_mm512_setzero_ps(); S];
        for (total, (dots, mins)) in totals.iter_mut().zip(sums) {
            *total = _mm512_sub_ps(dots, _mm512_zextps256_ps512(mins));
        }
        reduce(totals)
    }
}
