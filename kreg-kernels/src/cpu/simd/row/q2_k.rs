//! Q2_K: `w = d * scale * q - dmin * minimum`, groups of 16.

use super::bits::by_16;
use super::superblock::{Minimums, SuperBlock};
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockQ2_K, Q2_K};

impl SuperBlock for Q2_K {
    const CODES: Codes = Codes::Unsigned(3);
    const GROUP: usize = 16;
    const UP_TO: usize = 4;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockQ2_K) -> [S::Bytes; 8] {
        let mut codes = [s.splat(0); 8];
        for (codes, qs) in codes.as_chunks_mut::<4>().0.iter_mut().zip(block.qs.as_chunks::<32>().0) {
            let qs = s.load(qs);
            for (j, codes) in codes.iter_mut().enumerate() {
                *codes = s.shift(qs, 2 * j as i32, 3);
            }
        }
        codes
    }

    #[inline(always)]
    fn factor(block: &BlockQ2_K) -> [u8; 2] {
        block.d
    }

    #[inline(always)]
    fn scales<S: Simd>(s: S, block: &BlockQ2_K) -> (S::Bytes, Option<Minimums<S>>) {
        let both = s.twice(&block.scales);
        let words = by_16(s, s.shift(both, 4, 15));
        let scales = by_16(s, s.and(both, s.splat(15)));
        (scales, Some(Minimums { words, factor: block.dmin }))
    }
}
