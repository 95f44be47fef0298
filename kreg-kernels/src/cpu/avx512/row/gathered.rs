//! Four blocks of 16 nibble bytes gathered into a register: what Q4_0, Q5_0 and IQ4_NL share.
//!
//! Their headers are no whole 32-bit lanes, so two overlapping loads cover four blocks, one byte shuffle brings the
//! nibbles of each block into a 128-bit lane, and one word shuffle brings four copies of its scale.

use std::arch::x86_64::*;

use super::super::load::{load512, load512_at, reduce};
use super::nibbles::{Layout, Nibbles, accumulate};

/// Blocks of four nibble lanes each, whose values are `offset` too large.
pub(super) const fn layout(offset: i32) -> Layout {
    Layout { header: 0, blocks: 4, offset }
}

/// The two registers over four blocks of `BYTES`, their nibbles at byte `HEADER` of each.
#[derive(Clone, Copy)]
pub(super) struct Four<const BYTES: usize, const HEADER: usize> {
    first: __m512i,
    last: __m512i,
}

impl<const BYTES: usize, const HEADER: usize> Four<BYTES, HEADER> {
    const NIBBLES: [u8; 64] = {
        let mut t = [0; 64];
        let mut i = 0;
        while i < 64 {
            t[i] = source(BYTES * (i / 16) + HEADER + i % 16, BYTES);
            i += 1;
        }
        t
    };

    const SCALES: [u16; 32] = {
        let mut t = [0; 32];
        let mut lane = 0;
        while lane < 16 {
            t[lane] = source(BYTES * (lane / 4), BYTES) as u16 / 2;
            lane += 1;
        }
        t
    };

    /// Blocks `4 c` to `4 c + 4` of `row`, zeros where there is none.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    pub(super) fn load(row: &[u8], c: usize) -> Self {
        let at = 4 * BYTES * c;
        Self { first: load512_at(row, at), last: load512_at(row, at + 4 * BYTES - 64) }
    }

    /// The bytes that `index`, made by [`source`], names.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    pub(super) fn bytes(self, index: &[u8; 64]) -> __m512i {
        _mm512_permutex2var_epi8(self.first, load512(index), self.last)
    }

    /// The nibble bytes, one block a 128-bit lane.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    pub(super) fn nibbles(self) -> __m512i {
        self.bytes(&Self::NIBBLES)
    }

    /// The f16 scale of each 32-bit lane's block.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    pub(super) fn scales(self) -> __m256i {
        let d = _mm512_permutex2var_epi16(self.first, load512(&Self::SCALES), self.last);
        _mm512_castsi512_si256(d)
    }
}

/// The products of rows of such blocks, whose low and high weights `split` unpacks, unsigned.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx512vbmi")]
#[inline]
pub(super) fn product<const BYTES: usize, const HEADER: usize, const S: usize>(
    rows: [&[u8]; S],
    acts: &[Nibbles<1>],
    split: impl Fn(Four<BYTES, HEADER>) -> [__m512i; 2],
) -> [f32; S] {
    let mut sums = [_mm512_setzero_ps(); S];
    for (c, a) in acts.iter().enumerate() {
        for (sum, row) in sums.iter_mut().zip(&rows) {
            let four = Four::load(row, c);
            let [low, high] = split(four);
            *sum = accumulate(*sum, (a, 0), low, high, four.scales());
        }
    }
    reduce(sums)
}

/// The shuffle index of byte `at` of four blocks of `bytes`.
pub(super) const fn source(at: usize, bytes: usize) -> u8 {
    (if at < 64 { at } else { at + 128 - 4 * bytes }) as u8
}
