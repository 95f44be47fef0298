//! Q8_0: two blocks a register. `q ^ 0x80` is `q + 128`, an unsigned byte; the 128 goes into the sum's start.

use std::arch::x86_64::*;

use bytemuck::Zeroable;

use super::super::load::{load256, load512, reduce, scale_halves};
use super::super::quantise::{quad_sums, quantise};
use super::{Row, Single, blocks, record, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::{BlockQ8_0, Q8_0};

record! {
    /// Activations for two blocks, the second one empty at the end of an odd row.
    Pair {
        /// codes
        q: [i8; 64],
        /// what the integer sums start from
        start: [i32; 16],
        /// activation scale of each block
        scale: [f32; 2],
        pad: [u8; 56],
    }
}

/// The block after the last one of an odd row.
const NONE: BlockQ8_0 = BlockQ8_0 { d: [0; 2], qs: [0; 32] };

impl Row for Q8_0 {
    type Acts = Pair;
    const CHUNK: usize = 64;
    const UP_TO: usize = 1;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn prepare(x: &[f32], acts: &mut [Pair]) {
        acts.fill(Zeroable::zeroed());
        for (j, x) in x.as_chunks::<32>().0.iter().enumerate() {
            let (a, half) = (&mut acts[j / 2], j % 2);
            let (q, s) = quantise(x);
            a.q[32 * half..][..32].copy_from_slice(&q);
            a.start[8 * half..][..8].copy_from_slice(&quad_sums::<8>(&q).map(|sum| -128 * sum));
            a.scale[half] = s;
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Pair], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 4>(w, acts, out) }
    }
}

impl Single for Q8_0 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Pair]) -> [f32; S] {
        let rows = blocks(w, rows);
        let sign = _mm512_set1_epi8(-128);
        let mut sums = [_mm512_setzero_ps(); S];
        for (c, a) in acts.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let (b0, b1) = (&row[2 * c], row.get(2 * c + 1).unwrap_or(&NONE));
                let w = _mm512_castsi256_si512(load256(&b0.qs));
                let w = _mm512_inserti64x4::<1>(w, load256(&b1.qs));
                let dots = _mm512_dpbusd_epi32(load512(&a.start), _mm512_xor_si512(w, sign), load512(&a.q));
                *sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), scale_halves([b0.d, b1.d], a.scale), *sum);
            }
        }
        reduce(sums)
    }
}
