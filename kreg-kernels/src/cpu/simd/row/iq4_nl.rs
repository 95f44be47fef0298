//! IQ4_NL: `w = d * value`.

use super::block::Block;
use crate::cpu::codebook::iq4_nl::VALUES;
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockIQ4_NL, IQ4_NL};

impl Block for IQ4_NL {
    const CODES: Codes = Codes::Signed { max: 127 };

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockIQ4_NL) -> S::Bytes {
        s.shuffle(s.twice(&VALUES), s.nibbles(&block.qs))
    }

    #[inline(always)]
    fn scale(block: &BlockIQ4_NL) -> [u8; 2] {
        block.d
    }
}
