//! Q5_1: 24-byte blocks are six 32-bit lanes, `[d m] qh qs qs qs qs`, so eight blocks are three registers as they lie.
//!
//! As Q4_1: header lanes meet zero activations, and the minimum's lane starts from the activation sum. A block may
//! begin in the register before, so the shuffles that spread its fifth-bit word and its factors take both.

use std::arch::x86_64::*;

use super::super::load::{load512, load512_at, reduce, select};
use super::nibbles::{Layout, Nibbles, accumulate};
use super::{Row, Single, bytes, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::Q5_1;

const LAYOUT: Layout = Layout { header: 2, blocks: 8, offset: 0 };

/// The shuffles of one of the three registers. Indices below 16 lanes name the register before it.
struct Phase {
    /// the fifth-bit word of each 32-bit lane's block
    words: [u32; 16],
    /// the 16-bit factor of each 32-bit lane: m in the first of a block, d in the others
    factors: [u16; 32],
    /// for each byte where the eight bits with its fifth bit at bit 4 begin: of the low nibble, of the high
    windows: [[u8; 64]; 2],
}

const fn phase(n: usize) -> Phase {
    let mut p = Phase { words: [0; 16], factors: [0; 32], windows: [[0; 64]; 2] };
    let mut lane = 0;
    while lane < 16 {
        let at = 16 * n + lane;
        let block = at / 6 * 6 + 16 - 16 * n;
        p.words[lane] = (block + 1) as u32;
        p.factors[lane] = (2 * block + if at.is_multiple_of(6) { 1 } else { 0 }) as u16;
        lane += 1;
    }
    let mut i = 0;
    while i < 64 {
        // Header bytes take any window: their activations are zero.
        let weight = ((64 * n + i) % 24).saturating_sub(8);
        p.windows[0][i] = ((weight + 60) % 64) as u8;
        p.windows[1][i] = ((weight + 16 + 60) % 64) as u8;
        i += 1;
    }
    p
}
static PHASES: [Phase; 3] = [phase(0), phase(1), phase(2)];

impl Row for Q5_1 {
    type Acts = Nibbles<3>;
    const CHUNK: usize = 256;
    const UP_TO: usize = 1;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    unsafe fn prepare(x: &[f32], acts: &mut [Nibbles<3>]) {
        LAYOUT.prepare(x, acts);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Nibbles<3>], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 2>(w, acts, out) }
    }
}

impl Single for Q5_1 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    #[inline]
    unsafe fn product<const S: usize>(
        w: Matrix<'_, Self>,
        rows: [usize; S],
        acts: &[Nibbles<3>],
    ) -> [f32; S] {
        let rows = bytes(w, rows);
        let (nibble, five) = (_mm512_set1_epi8(15), _mm512_set1_epi8(31));
        let mut sums = [_mm512_setzero_ps(); S];
        for (c, a) in acts.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let mut before = nibble; // no block begins before the first register
                for (r, p) in PHASES.iter().enumerate() {
                    let w = load512_at(row, 192 * c + 64 * r);
                    let word = _mm512_permutex2var_epi32(before, load512(&p.words), w);
                    let fifth = |windows| _mm512_multishift_epi64_epi8(load512(windows), word);
                    let low = _mm512_and_si512(select(nibble, w, fifth(&p.windows[0])), five);
                    let high = select(nibble, _mm512_srli_epi16::<4>(w), fifth(&p.windows[1]));
                    let d = _mm512_permutex2var_epi16(before, load512(&p.factors), w);
                    let d = _mm512_castsi512_si256(d);
                    *sum = accumulate(*sum, (a, r), low, _mm512_and_si512(high, five), d);
                    before = w;
                }
            }
        }
        reduce(sums)
    }
}
