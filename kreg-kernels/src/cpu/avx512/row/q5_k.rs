//! Q5_K: as Q4_K, with the fifth bits shifted to bit 4 group by group.

use std::arch::x86_64::*;

use super::super::load::{load256, load512, select};
use super::six_bit::{Acts, prepare, product};
use super::{Row, Single, blocks, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::Q5_K;

impl Row for Q5_K {
    type Acts = Acts;
    const CHUNK: usize = 256;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn prepare(x: &[f32], acts: &mut [Acts]) {
        prepare(x, acts);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Acts], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 4>(w, acts, out) }
    }
}

impl Single for Q5_K {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        let rows = blocks(w, rows);
        let (nibble, five) = (_mm512_set1_epi8(15), _mm512_set1_epi8(31));
        // The upper half of a register holds the groups two further on, whose bits lie two higher.
        let two = 0x0002_0002_0002_0002;
        let further = _mm512_set_epi64(two, two, two, two, 0, 0, 0, 0);
        product(rows, acts, |b| {
            let halves = bytemuck::cast_ref::<_, [[u8; 64]; 2]>(&b.qs);
            let (w0, w1) = (load512(&halves[0]), load512(&halves[1]));
            let h = _mm512_srlv_epi16(_mm512_broadcast_i64x4(load256(&b.qh)), further);
            let merge = |w, h| _mm512_and_si512(select(nibble, w, h), five);
            [
                merge(w0, _mm512_slli_epi16::<4>(h)),
                merge(_mm512_srli_epi16::<4>(w0), _mm512_slli_epi16::<3>(h)),
                merge(w1, h),
                merge(_mm512_srli_epi16::<4>(w1), _mm512_srli_epi16::<1>(h)),
            ]
        })
    }
}
