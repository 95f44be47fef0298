//! APR_Q4: `w = d * (q - 8)`, adjacent weights in the two nibbles of a byte, one stream over the whole matrix.

use super::float::{Float, scaled};
use crate::cpu::simd::Simd;
use crate::format::{APR_Q4, BlockAPR_Q4};

impl Float for APR_Q4 {
    const ZERO: BlockAPR_Q4 = BlockAPR_Q4 { d: [0; 2], qs: [0; 16] };

    #[inline(always)]
    fn decode<S: Simd>(s: S, blocks: &[BlockAPR_Q4], _: f32) -> [S::Floats; 4] {
        let [block] = blocks else { unreachable!("a block is a step") };
        let d = s.splat_half(block.d);
        let mut codes = [0; 32];
        for (codes, q) in codes.as_chunks_mut().0.iter_mut().zip(block.qs) {
            *codes = [q & 15, q >> 4].map(|q| q as i8 - 8);
        }
        let codes = bytemuck::cast::<_, [[i8; 8]; 4]>(codes);
        scaled(s, &codes, d)
    }
}
