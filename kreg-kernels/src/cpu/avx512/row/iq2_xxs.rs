//! IQ2_XXS: two super-blocks are 64 indices, see `cpu::avx512::grid`. A 32-bit lane of a plane's product holds four
//! indices, which is one group: lanes line up with scales, and all eight planes add up.

use std::arch::x86_64::*;

use bytemuck::Zeroable;

use super::super::grid::{EIGHTS_OFFSET, ELEMENTS, even_signs, look_up_256, scales};
use super::super::load::{load_ps, load512, reduce, scale_halves};
use super::super::matvec::iq2_xxs::{BOOK, VALUES};
use super::super::quantise::{quantise, sum};
use super::eights;
use super::{Row, Single, blocks, record, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::{BlockIQ2_XXS, IQ2_XXS};

record! {
    /// Activations for two super-blocks, the second one empty at the end of an odd row.
    Acts {
        /// plane by plane, one element of each of the 64 entries: those of byte A, then those of byte B
        q: [[[i8; 64]; 4]; 2],
        /// what the integer sums start from
        start: [i32; 16],
        /// activation scale of each super-block
        scale: [f32; 2],
        pad: [u8; 56],
    }
}

/// The super-block after the last one of an odd row.
const NONE: BlockIQ2_XXS = BlockIQ2_XXS { d: [0; 2], qs: [0; 64] };

const SCALES: [f32; 16] = scales(0.125, 0.25);

/// The even dwords of two registers, the codebook indices; the odd ones are signs and scales.
const INDICES: [u32; 16] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
const SIGNS: [u32; 16] = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31];

impl Row for IQ2_XXS {
    type Acts = Acts;
    const CHUNK: usize = 512;
    const UP_TO: usize = 1;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,gfni")]
    unsafe fn prepare(x: &[f32], acts: &mut [Acts]) {
        acts.fill(Zeroable::zeroed());
        for (j, x) in x.as_chunks::<256>().0.iter().enumerate() {
            let (a, half) = (&mut acts[j / 2], j % 2);
            let (q, s) = quantise(x);
            for (p, plane) in a.q.as_flattened_mut().iter_mut().enumerate() {
                let element = usize::from(ELEMENTS[p % 4]) + p / 4 * 4;
                for (out, entry) in plane[32 * half..].iter_mut().zip(q.as_chunks::<8>().0) {
                    *out = entry[element];
                }
            }
            for (start, group) in a.start[8 * half..].iter_mut().zip(q.as_chunks::<32>().0) {
                *start = -i32::from(EIGHTS_OFFSET) * sum(group);
            }
            a.scale[half] = s;
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,gfni")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Acts], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 1>(w, acts, out) }
    }
}

impl Single for IQ2_XXS {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,gfni")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        let rows = blocks(w, rows);
        let mut sums = [_mm512_setzero_ps(); S];
        for (c, a) in acts.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let (b0, b1) = (&row[2 * c], row.get(2 * c + 1).unwrap_or(&NONE));
                let (w0, w1) = (load512(&b0.qs), load512(&b1.qs));
                let index = _mm512_permutex2var_epi32(w0, load512(&INDICES), w1);
                let packed = _mm512_permutex2var_epi32(w0, load512(&SIGNS), w1);
                let signs = even_signs(packed);
                let [ea, eb] = look_up_256(&BOOK, index);
                // Two chains, so that one product does not wait for the one before.
                let zero = _mm512_setzero_si512();
                let i = eights::dots(load512(&a.start), ea, signs, &VALUES, &a.q[0]);
                let j = eights::dots(zero, eb, _mm512_srli_epi16::<4>(signs), &VALUES, &a.q[1]);
                let dots = _mm512_cvtepi32_ps(_mm512_add_epi32(i, j));
                let scales = _mm512_permutexvar_ps(_mm512_srli_epi32::<28>(packed), load_ps(&SCALES));
                let d = _mm512_mul_ps(scale_halves([b0.d, b1.d], a.scale), scales);
                *sum = _mm512_fmadd_ps(dots, d, *sum);
            }
        }
        reduce(sums)
    }
}
