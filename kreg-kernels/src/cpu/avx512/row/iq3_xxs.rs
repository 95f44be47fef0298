//! IQ3_XXS: a codebook of 256 quads; per 32 weights 4 x 7 sign bits and a 4-bit scale.

use std::arch::x86_64::*;

use super::super::grid::{even_signs, look_up_256, scales};
use super::super::load::{load_ps, load256, load512, reduce, scale};
use super::super::matvec::iq3_xxs::{BOOK, VALUES};
use super::quads::{Acts, dots, nibbles, prepare};
use super::{Row, Single, blocks, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::IQ3_XXS;

const SCALES: [f32; 16] = scales(0.25, 0.5);

/// The group of each 32-bit lane.
const GROUPS: [u32; 16] = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7];

impl Row for IQ3_XXS {
    type Acts = Acts;
    const CHUNK: usize = 256;
    const UP_TO: usize = 1;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,gfni")]
    unsafe fn prepare(x: &[f32], acts: &mut [Acts]) {
        prepare(x, acts);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,gfni")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Acts], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 2>(w, acts, out) }
    }
}

impl Single for IQ3_XXS {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,gfni")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        let rows = blocks(w, rows);
        let mut sums = [_mm512_setzero_ps(); S];
        for (c, a) in acts.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let b = &row[c];
                let packed = _mm512_castsi256_si512(load256(&b.gas));
                let signs = nibbles(_mm512_castsi512_si256(even_signs(packed)));
                let dots = dots(look_up_256(&BOOK, load512(&b.qs)), signs, &VALUES, a);
                let groups = _mm512_permutexvar_epi32(load512(&GROUPS), packed);
                let scales = _mm512_permutexvar_ps(_mm512_srli_epi32::<28>(groups), load_ps(&SCALES));
                let d = _mm512_mul_ps(scale(b.d, a.scale), scales);
                *sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), d, *sum);
            }
        }
        reduce(sums)
    }
}
