//! F32: an f32, little-endian.

use super::float::Float;
use crate::cpu::simd::Simd;
use crate::format::{BlockF32, F32};

impl Float for F32 {
    const ZERO: BlockF32 = BlockF32 { v: [0; 4] };

    #[inline(always)]
    fn decode<S: Simd>(s: S, blocks: &[BlockF32], _: f32) -> [S::Floats; 4] {
        let [a, b, c, d]: &[[[u8; 4]; 8]; 4] = bytemuck::from_bytes(bytemuck::cast_slice(blocks));
        [s.floats(a), s.floats(b), s.floats(c), s.floats(d)]
    }
}
