//! Q8_0: `w = d * q`.

use crate::cpu::portable::matvec::decode::{f16, scaled};
use crate::cpu::portable::matvec::float;
use crate::format::{BlockQ8_0, Q8_0};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q8_0>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, decode);
}

#[inline]
fn decode(blocks: &[BlockQ8_0], out: &mut [f32]) {
    let mut q = [0; 256];
    for (block, q) in blocks.iter().zip(q.as_chunks_mut().0) {
        *q = block.qs.map(|q| q as i8);
    }
    scaled::<32>(&q, out, |b| f16(blocks[b].d));
}
