//! BF16: the upper half of an f32, little-endian.

use super::float::Float;
use crate::cpu::simd::Simd;
use crate::format::{BF16, BlockBF16};

impl Float for BF16 {
    const ZERO: BlockBF16 = BlockBF16 { v: [0; 2] };
    const UP_TO: usize = 4;

    #[inline(always)]
    fn decode<S: Simd>(s: S, blocks: &[BlockBF16], _: f32) -> [S::Floats; 4] {
        let [a, b, c, d]: &[[[u8; 2]; 8]; 4] = bytemuck::from_bytes(bytemuck::cast_slice(blocks));
        [s.upper_halves(a), s.upper_halves(b), s.upper_halves(c), s.upper_halves(d)]
    }
}
