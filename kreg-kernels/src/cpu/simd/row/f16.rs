//! F16: an f16, little-endian.

use super::float::Float;
use crate::cpu::simd::Simd;
use crate::format::{BlockF16, F16};

impl Float for F16 {
    const ZERO: BlockF16 = BlockF16 { v: [0; 2] };
    const UP_TO: usize = 4;

    #[inline(always)]
    fn decode<S: Simd>(s: S, blocks: &[BlockF16], _: f32) -> [S::Floats; 4] {
        let [a, b, c, d]: &[[[u8; 2]; 8]; 4] = bytemuck::from_bytes(bytemuck::cast_slice(blocks));
        [s.halves(a), s.halves(b), s.halves(c), s.halves(d)]
    }
}
