//! Q4_0: nibbles as they are, the 8 that each is too large by in the sum's start.

use std::arch::x86_64::*;

use super::gathered::{Four, layout, product};
use super::nibbles::Nibbles;
use super::{Row, Single, bytes, share};
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
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Nibbles<1>], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 4>(w, acts, out) }
    }
}

impl Single for Q4_0 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    #[inline]
    unsafe fn product<const S: usize>(
        w: Matrix<'_, Self>,
        rows: [usize; S],
        acts: &[Nibbles<1>],
    ) -> [f32; S] {
        let nibble = _mm512_set1_epi8(15);
        product(bytes(w, rows), acts, |four: Four<18, 2>| {
            let w = four.nibbles();
            [_mm512_and_si512(w, nibble), _mm512_and_si512(_mm512_srli_epi16::<4>(w), nibble)]
        })
    }
}
