//! APR_Q4: `w = d * (q - 8)`, adjacent weights in the two nibbles of a byte, one stream over the whole matrix.

use super::decode::{f16, scaled};
use super::float;
use crate::format::{APR_Q4, BlockAPR_Q4};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, APR_Q4>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, decode);
}

#[inline]
fn decode(blocks: &[BlockAPR_Q4], out: &mut [f32]) {
    let mut q = [0; 256];
    for (block, q) in blocks.iter().zip(q.as_chunks_mut::<32>().0) {
        for (q, byte) in q.as_chunks_mut().0.iter_mut().zip(block.qs) {
            *q = [(byte & 15) as i8 - 8, (byte >> 4) as i8 - 8];
        }
    }
    scaled::<32>(&q, out, |b| f16(blocks[b].d));
}
