//! Q5_1: `w = d * q + m`.

use super::decode::{affine, f16, fives, spread};
use super::float;
use crate::format::{BlockQ5_1, Q5_1};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q5_1>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, decode);
}

#[inline]
fn decode(blocks: &[BlockQ5_1], out: &mut [f32]) {
    let mut q = [0; 256];
    for (block, q) in blocks.iter().zip(q.as_chunks_mut().0) {
        *q = fives(&block.qs, block.qh, |bits| spread(bits) >> 3);
    }
    affine::<32>(&q, out, |b| (f16(blocks[b].d), -f16(blocks[b].m)));
}
