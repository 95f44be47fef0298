//! Q4_K: nibbles as they are.

use std::arch::x86_64::*;

use super::super::load::load512;
use super::six_bit::{Acts, prepare, product};
use super::{Row, Single, blocks, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::Q4_K;

impl Row for Q4_K {
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

impl Single for Q4_K {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        let rows = blocks(w, rows);
        let nibble = _mm512_set1_epi8(15);
        product(rows, acts, |b| {
            let halves = bytemuck::cast_ref::<_, [[u8; 64]; 2]>(&b.qs);
            let (w0, w1) = (load512(&halves[0]), load512(&halves[1]));
            [
                _mm512_and_si512(w0, nibble),
                _mm512_and_si512(_mm512_srli_epi16::<4>(w0), nibble),
                _mm512_and_si512(w1, nibble),
                _mm512_and_si512(_mm512_srli_epi16::<4>(w1), nibble),
            ]
        })
    }
}
