//! IQ4_NL: `w = d * value`.

use super::decode::{f16, scaled, values};
use super::float;
use crate::format::{BlockIQ4_NL, IQ4_NL};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, IQ4_NL>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, decode);
}

#[inline]
fn decode(blocks: &[BlockIQ4_NL], out: &mut [f32]) {
    let mut q = [0; 256];
    for (block, q) in blocks.iter().zip(q.as_chunks_mut().0) {
        values(&block.qs, q);
    }
    scaled::<32>(&q, out, |b| f16(blocks[b].d));
}
