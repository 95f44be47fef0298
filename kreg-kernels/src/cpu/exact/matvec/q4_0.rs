//! Q4_0: `w = d * (q - 8)`.

use crate::cpu::portable::matvec::decode::{f16, nibbles, scaled};
use crate::cpu::portable::matvec::float;
use crate::format::{BlockQ4_0, Q4_0};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q4_0>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, decode);
}

#[inline]
fn decode(blocks: &[BlockQ4_0], out: &mut [f32]) {
    let mut q = [0; 256];
    for (block, q) in blocks.iter().zip(q.as_chunks_mut().0) {
        *q = nibbles(&block.qs).map(|q| q as i8 - 8);
    }
    scaled::<32>(&q, out, |b| f16(blocks[b].d));
}
