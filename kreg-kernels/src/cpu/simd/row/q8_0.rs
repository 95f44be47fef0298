//! Q8_0: `w = d * q`.

use super::block::Block;
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockQ8_0, Q8_0};

impl Block for Q8_0 {
    const CODES: Codes = Codes::Signed { max: 128 };
    const UP_TO: usize = 3;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockQ8_0) -> S::Bytes {
        s.load(&block.qs)
    }

    #[inline(always)]
    fn scale(block: &BlockQ8_0) -> [u8; 2] {
        block.d
    }
}
