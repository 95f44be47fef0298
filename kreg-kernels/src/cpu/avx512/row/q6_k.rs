//! Q6_K: two upper bits above each nibble, scales as in Q4_K by vpdpwssd, the 32 that each weight is too large by in
//! the sums' start.

use std::arch::x86_64::*;

use bytemuck::Zeroable;

use super::super::load::{load128, load256, load512, reduce, scale, select};
use super::super::quantise::{quad_sums, quantise};
use super::{Row, Single, blocks, record, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::Q6_K;

record! {
    /// Activations for one super-block, in order.
    Acts {
        /// codes
        q: [[i8; 64]; 4],
        /// what the integer sums start from: within 16 bits, as the sums themselves are
        start: [[i32; 16]; 4],
        /// their scale
        scale: f32,
        pad: [u8; 60],
    }
}

/// For 64 weights the scale of each 32-bit lane.
const LANES: [[u32; 16]; 4] = {
    let mut t = [[0; 16]; 4];
    let mut i = 0;
    while i < 64 {
        t[i / 16][i % 16] = i as u32 / 4;
        i += 1;
    }
    t
};

impl Row for Q6_K {
    type Acts = Acts;
    const CHUNK: usize = 256;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn prepare(x: &[f32], acts: &mut [Acts]) {
        for (x, a) in x.as_chunks::<256>().0.iter().zip(acts) {
            let (q, scale) = quantise(x);
            let start = quad_sums::<64>(&q).map(|sum| -32 * sum);
            *a = Acts { q: bytemuck::cast(q), start: bytemuck::cast(start), scale, ..Zeroable::zeroed() };
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Acts], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 4>(w, acts, out) }
    }
}

impl Single for Q6_K {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        let rows = blocks(w, rows);
        let (nibble, six) = (_mm512_set1_epi8(15), _mm512_set1_epi8(63));
        // Bits of weights 32 to 64 of a group lie two above those of weights 0 to 32.
        let two = 0x0002_0002_0002_0002;
        let further = _mm512_set_epi64(two, two, two, two, 0, 0, 0, 0);
        let mut sums = [_mm512_setzero_ps(); S];
        for (c, a) in acts.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let b = &row[c];
                let low = bytemuck::cast_ref::<_, [[u8; 64]; 2]>(&b.ql);
                let upper = bytemuck::cast_ref::<_, [[u8; 32]; 2]>(&b.qh);
                // vpdpwssd takes words: the scale in the lower one, 0 in the upper one.
                let scales = _mm512_cvtepi8_epi32(load128(&b.scales));
                let scales = _mm512_maskz_mov_epi16(0x5555_5555, scales);
                let mut dots = _mm512_setzero_si512();
                for half in 0..2 {
                    let l = load512(&low[half]);
                    let h = _mm512_srlv_epi16(_mm512_broadcast_i64x4(load256(&upper[half])), further);
                    let quants = [
                        select(nibble, l, _mm512_slli_epi16::<4>(h)),
                        select(nibble, _mm512_srli_epi16::<4>(l), h),
                    ];
                    for (t, &w) in quants.iter().enumerate() {
                        let t = 2 * half + t;
                        let w = _mm512_and_si512(w, six);
                        let dot = _mm512_dpbusd_epi32(load512(&a.start[t]), w, load512(&a.q[t]));
                        let scales = _mm512_permutexvar_epi32(load512(&LANES[t]), scales);
                        dots = _mm512_dpwssd_epi32(dots, dot, scales);
                    }
                }
                *sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), scale(b.d, a.scale), *sum);
            }
        }
        reduce(sums)
    }
}
