//! Q4_1: 20-byte blocks are five 32-bit lanes, `[d m] qs qs qs qs`, so a register takes three of them as they lie.
//!
//! Each lane of an integer sum belongs to one block. The header lane meets zero activations; its sum starts from the
//! sum of the block's activations instead, and the shuffle that spreads the f16 scales picks the minimum for it: the
//! minimum's term costs no instruction.

use std::arch::x86_64::*;

use super::super::load::{load512, load512_at, reduce};
use super::nibbles::{Layout, Nibbles, accumulate};
use super::{Row, Single, bytes, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::Q4_1;

const LAYOUT: Layout = Layout { header: 1, blocks: 3, offset: 0 };

/// For each 32-bit lane the 16-bit lane of its factor: m in the header lane, d in the four others.
const FACTORS: [u16; 32] = {
    let mut t = [0; 32];
    let mut lane = 0;
    while lane < 15 {
        t[lane] = 10 * (lane / 5) as u16 + (lane % 5 == 0) as u16;
        lane += 1;
    }
    t
};

impl Row for Q4_1 {
    type Acts = Nibbles<1>;
    const CHUNK: usize = 96;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn prepare(x: &[f32], acts: &mut [Nibbles<1>]) {
        LAYOUT.prepare(x, acts);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Nibbles<1>], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 4>(w, acts, out) }
    }
}

impl Single for Q4_1 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    #[inline]
    unsafe fn product<const S: usize>(
        w: Matrix<'_, Self>,
        rows: [usize; S],
        acts: &[Nibbles<1>],
    ) -> [f32; S] {
        let rows = bytes(w, rows);
        let factors = load512(&FACTORS);
        let nibble = _mm512_set1_epi8(15);
        let mut sums = [_mm512_setzero_ps(); S];
        for (c, a) in acts.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let w = load512_at(row, 60 * c);
                let low = _mm512_and_si512(w, nibble);
                let high = _mm512_and_si512(_mm512_srli_epi16::<4>(w), nibble);
                let d = _mm512_castsi512_si256(_mm512_permutexvar_epi16(factors, w));
                *sum = accumulate(*sum, (a, 0), low, high, d);
            }
        }
        reduce(sums)
    }
}
