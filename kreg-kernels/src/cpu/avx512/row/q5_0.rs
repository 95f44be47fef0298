//! Q5_0: as Q4_0, with the fifth bits brought in from the block's 32-bit word.
//!
//! The word is repeated over its block's 128-bit lane, and vpmultishiftqb gives each byte the eight bits of the word
//! whose bit 4 is its own fifth bit; one select puts them above the nibble.

use std::arch::x86_64::*;

use super::super::load::{load512, select};
use super::gathered::{Four, layout, product, source};
use super::nibbles::Nibbles;
use super::{Row, Single, bytes, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::Q5_0;

/// The fifth-bit word of each 32-bit lane's block.
const WORDS: [u8; 64] = {
    let mut t = [0; 64];
    let mut i = 0;
    while i < 64 {
        t[i] = source(22 * (i / 16) + 2 + i % 4, 22);
        i += 1;
    }
    t
};

/// For byte i of a block, where the eight bits with bit `first + i` at bit 4 begin.
const fn windows(first: usize) -> [u8; 64] {
    let mut t = [0; 64];
    let mut i = 0;
    while i < 64 {
        t[i] = ((i % 16 + first + 60) % 64) as u8;
        i += 1;
    }
    t
}
const LOW: [u8; 64] = windows(0);
const HIGH: [u8; 64] = windows(16);

impl Row for Q5_0 {
    type Acts = Nibbles<1>;
    const CHUNK: usize = 128;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    unsafe fn prepare(x: &[f32], acts: &mut [Nibbles<1>]) {
        layout(16).prepare(x, acts);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Nibbles<1>], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 4>(w, acts, out) }
    }
}

impl Single for Q5_0 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    #[inline]
    unsafe fn product<const S: usize>(
        w: Matrix<'_, Self>,
        rows: [usize; S],
        acts: &[Nibbles<1>],
    ) -> [f32; S] {
        let (nibble, five) = (_mm512_set1_epi8(15), _mm512_set1_epi8(31));
        product(bytes(w, rows), acts, |four: Four<22, 6>| {
            let (w, word) = (four.nibbles(), four.bytes(&WORDS));
            let fifth = |windows| _mm512_multishift_epi64_epi8(load512(windows), word);
            let low = select(nibble, w, fifth(&LOW));
            let high = select(nibble, _mm512_srli_epi16::<4>(w), fifth(&HIGH));
            [_mm512_and_si512(low, five), _mm512_and_si512(high, five)]
        })
    }
}
