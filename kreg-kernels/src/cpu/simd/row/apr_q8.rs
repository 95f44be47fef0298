//! APR_Q8: `w = scale * q`, one f32 scale for the whole matrix.

use super::float::{Float, scaled};
use crate::Matrix;
use crate::cpu::simd::Simd;
use crate::format::{APR_Q8, BlockAPR_Q8};

impl Float for APR_Q8 {
    const ZERO: BlockAPR_Q8 = BlockAPR_Q8 { q: [0] };
    const UP_TO: usize = 5;

    #[inline(always)]
    fn decode<S: Simd>(s: S, blocks: &[BlockAPR_Q8], scale: f32) -> [S::Floats; 4] {
        let codes: &[u8; 32] = bytemuck::from_bytes(bytemuck::cast_slice(blocks));
        scaled(s, s.load(codes), s.splat_float(scale))
    }

    fn scale(w: Matrix<'_, APR_Q8>) -> f32 {
        let &[a, b, c, d, ..] = w.bytes() else { unreachable!("a matrix includes its header") };
        f32::from_le_bytes([a, b, c, d])
    }
}
