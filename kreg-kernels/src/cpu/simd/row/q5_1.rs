//! Q5_1: `w = d * q + m`.

use super::bits::spread;
use super::block::Block;
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockQ5_1, Q5_1};

impl Block for Q5_1 {
    const CODES: Codes = Codes::Unsigned(31);
    const UP_TO: usize = 1;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockQ5_1) -> S::Bytes {
        let fifth = s.and(spread(s, block.qh), s.splat(16));
        s.or(s.nibbles(&block.qs), fifth)
    }

    #[inline(always)]
    fn scale(block: &BlockQ5_1) -> [u8; 2] {
        block.d
    }

    #[inline(always)]
    fn minimum(block: &BlockQ5_1) -> Option<[u8; 2]> {
        Some(block.m)
    }
}
