//! Q5_K: `w = d * scale * q - dmin * minimum`, groups of 32.

use super::six_bit;
use super::superblock::{Minimums, SuperBlock};
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockQ5_K, Q5_K};

impl SuperBlock for Q5_K {
    const CODES: Codes = Codes::Unsigned(31);
    const GROUP: usize = 32;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockQ5_K) -> [S::Bytes; 8] {
        let qh = s.load(&block.qh);
        let mut codes = [s.splat(0); 8];
        for (c, (codes, qs)) in
            codes.as_chunks_mut::<2>().0.iter_mut().zip(block.qs.as_chunks::<32>().0).enumerate()
        {
            let qs = s.load(qs);
            let fifth = 2 * c as i32 - 4;
            codes[0] = s.or(s.and(qs, s.splat(15)), s.shift(qh, fifth, 16));
            codes[1] = s.or(s.shift(qs, 4, 15), s.shift(qh, fifth + 1, 16));
        }
        codes
    }

    #[inline(always)]
    fn factor(block: &BlockQ5_K) -> [u8; 2] {
        block.d
    }

    #[inline(always)]
    fn scales<S: Simd>(s: S, block: &BlockQ5_K) -> (S::Bytes, Option<Minimums<S>>) {
        six_bit::unpack(s, &block.scales, block.dmin)
    }
}
