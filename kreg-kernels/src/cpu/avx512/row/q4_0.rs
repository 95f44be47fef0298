//! Q4_0: nibbles as they are, the 8 that each is too large by in the sum's start.

use std::arch::x86_64::*;

use super::super::load::reduce;
use super::gathered::{Four, layout};
use super::nibbles::{Nibbles, accumulate};
use super::{Row, bytes, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::Q4_0;

impl Row for Q4_0 {
    type Acts = Nibbles<1>;
    const CHUNK: usize = 128;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    unsafe fn prepare(x: &[f32], acts: &mut [Nibbles<1>]) {
        layout(8).prepare(x, acts);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    #[inline]
    unsafe fn product<const S: usize>(
        w: Matrix<'_, Self>,
        rows: [usize; S],
        acts: &[Nibbles<1>],
    ) -> [f32; S] {
        let rows = bytes(w, rows);
        let nibble = _mm512_set1_epi8(15);
        let mut sums = [_mm512_setzero_ps(); S];
        for (c, a) in acts.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let four = Four::<18, 2>::load(row, c);
                let w = four.nibbles();
                let low = _mm512_and_si512(w, nibble);
                let high = _mm512_and_si512(_mm512_srli_epi16::<4>(w), nibble);
                *sum = accumulate(*sum, (a, 0), low, high, four.scales());
            }
        }
        reduce(sums)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Nibbles<1>], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share(w, acts, out) }
    }
}
