//! Q4_K: `w = d * scale * q - dmin * minimum`, groups of 32.

use super::six_bit;
use super::superblock::{Minimums, SuperBlock};
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockQ4_K, Q4_K};

impl SuperBlock for Q4_K {
    const CODES: Codes = Codes::Unsigned(15);
    const GROUP: usize = 32;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockQ4_K) -> [S::Bytes; 8] {
        let mut codes = [s.splat(0); 8];
        for (codes, qs) in codes.as_chunks_mut::<2>().0.iter_mut().zip(block.qs.as_chunks::<32>().0) {
            let qs = s.load(qs);
            *codes = [s.and(qs, s.splat(15)), s.shift(qs, 4, 15)];
        }
        codes
    }

    #[inline(always)]
    fn factor(block: &BlockQ4_K) -> [u8; 2] {
        block.d
    }

    #[inline(always)]
    fn scales<S: Simd>(s: S, block: &BlockQ4_K) -> (S::Bytes, Option<Minimums<S>>) {
        six_bit::unpack(s, &block.scales, block.dmin)
    }
}
