//! APR_Q4: `w = d * (q - 8)`, adjacent weights in the two nibbles of a byte, one stream over the whole matrix.

use super::float::{Float, scaled};
use crate::cpu::simd::Simd;
use crate::format::{APR_Q4, BlockAPR_Q4};

/// Bytes 0 to 8 and 8 to 16, each twice.
const EACH_TWICE: [u8; 32] = {
    let mut index = [0; 32];
    let mut i = 0;
    while i < 32 {
        index[i] = i as u8 / 2;
        i += 1;
    }
    index
};

impl Float for APR_Q4 {
    const ZERO: BlockAPR_Q4 = BlockAPR_Q4 { d: [0; 2], qs: [0; 16] };
    const UP_TO: usize = 3;

    #[inline(always)]
    fn decode<S: Simd>(s: S, blocks: &[BlockAPR_Q4], _: f32) -> [S::Floats; 4] {
        let [block] = blocks else { unreachable!("a block is a step") };
        // Every byte twice, in order; then the low nibble of the first of them and the high one of the second.
        let twice = s.shuffle(s.twice(&block.qs), s.load(&EACH_TWICE));
        let codes = s.or(
            s.and(twice, s.load(&[[15_u8, 0]; 16])),
            s.and(s.shift(twice, 4, 15), s.load(&[[0, 15_u8]; 16])),
        );
        scaled(s, s.sub(codes, s.splat(8)), s.splat_half(block.d))
    }
}
