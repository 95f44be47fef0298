//! Q4_1: `w = d * q + m`.

use super::block::Block;
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockQ4_1, Q4_1};

impl Block for Q4_1 {
    const CODES: Codes = Codes::Unsigned(15);
    const UP_TO: usize = 1;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockQ4_1) -> S::Bytes {
        s.nibbles(&block.qs)
    }

    #[inline(always)]
    fn scale(block: &BlockQ4_1) -> [u8; 2] {
        block.d
    }

    #[inline(always)]
    fn minimum(block: &BlockQ4_1) -> Option<[u8; 2]> {
        Some(block.m)
    }
}
