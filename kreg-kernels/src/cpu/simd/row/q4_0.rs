//! Q4_0: `w = d * (q - 8)`.

use super::block::Block;
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockQ4_0, Q4_0};

impl Block for Q4_0 {
    const CODES: Codes = Codes::Offset { max: 15, offset: 8 };
    const UP_TO: usize = 1;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockQ4_0) -> S::Bytes {
        s.nibbles(&block.qs)
    }

    #[inline(always)]
    fn scale(block: &BlockQ4_0) -> [u8; 2] {
        block.d
    }
}
