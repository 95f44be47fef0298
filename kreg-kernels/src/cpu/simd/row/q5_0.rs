//! Q5_0: `w = d * (q - 16)`.

use super::bits::spread;
use super::block::Block;
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockQ5_0, Q5_0};

impl Block for Q5_0 {
    const CODES: Codes = Codes::Offset { max: 31, offset: 16 };
    const UP_TO: usize = 1;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockQ5_0) -> S::Bytes {
        let fifth = s.and(spread(s, block.qh), s.splat(16));
        s.or(s.nibbles(&block.qs), fifth)
    }

    #[inline(always)]
    fn scale(block: &BlockQ5_0) -> [u8; 2] {
        block.d
    }
}
