//! Q4_1: `w = d * q + m`.

use super::decode::{affine, f16, nibbles};
use super::float;
use crate::format::{BlockQ4_1, Q4_1};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q4_1>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, decode);
}

#[inline]
fn decode(blocks: &[BlockQ4_1], out: &mut [f32]) {
    let mut q = [0; 256];
    for (block, q) in blocks.iter().zip(q.as_chunks_mut().0) {
        *q = nibbles(&block.qs);
    }
    affine::<32>(&q, out, |b| (f16(blocks[b].d), -f16(blocks[b].m)));
}
