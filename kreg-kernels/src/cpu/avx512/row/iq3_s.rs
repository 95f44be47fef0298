//! IQ3_S: a codebook of 512 quads. The eight bytes of ninth index bits are, as they lie, the mask of the 64 indices
//! that use its upper half.

use std::arch::x86_64::*;

use super::super::grid::{look_up_512, scales};
use super::super::load::{load_ps, load256, load512, reduce, scale};
use super::super::matvec::iq3_s::{BOOK, VALUES};
use super::quads::{Acts, dots, nibbles, prepare};
use super::{Row, Single, blocks, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::IQ3_S;

const SCALES: [f32; 16] = scales(1.0, 2.0);

/// Where the nibble of each 32-bit lane's group begins in the block's four scale bytes.
const NIBBLES: [u32; 16] = [0, 0, 4, 4, 8, 8, 12, 12, 16, 16, 20, 20, 24, 24, 28, 28];

impl Row for IQ3_S {
    type Acts = Acts;
    const CHUNK: usize = 256;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    unsafe fn prepare(x: &[f32], acts: &mut [Acts]) {
        prepare(x, acts);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Acts], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 1>(w, acts, out) }
    }
}

impl Single for IQ3_S {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        let rows = blocks(w, rows);
        let starts = load512(&NIBBLES);
        let mut sums = [_mm512_setzero_ps(); S];
        for (c, a) in acts.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let b = &row[c];
                let entries = look_up_512(&BOOK, load512(&b.qs), u64::from_le_bytes(b.qh));
                let dots = dots(entries, nibbles(load256(&b.signs)), &VALUES, a);
                // The table takes the low four bits of what is shifted down.
                let packed = _mm512_set1_epi32(i32::from_le_bytes(b.scales));
                let scales = _mm512_permutexvar_ps(_mm512_srlv_epi32(packed, starts), load_ps(&SCALES));
                let d = _mm512_mul_ps(scale(b.d, a.scale), scales);
                *sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), d, *sum);
            }
        }
        reduce(sums)
    }
}
