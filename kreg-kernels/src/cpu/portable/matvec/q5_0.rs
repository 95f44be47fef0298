//! Q5_0: `w = d * (q - 16)`.

use super::decode::{f16, fives, scaled, spread};
use super::float;
use crate::format::{BlockQ5_0, Q5_0};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q5_0>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, decode);
}

#[inline]
fn decode(blocks: &[BlockQ5_0], out: &mut [f32]) {
    let mut q = [0; 256];
    for (block, q) in blocks.iter().zip(q.as_chunks_mut::<32>().0) {
        // Less 16, a number is its nibble where the fifth bit is set, and its nibble under 0xf0 where not.
        *q = bytemuck::cast(fives(&block.qs, block.qh, |bits| (spread(!bits) >> 3) * 15));
    }
    scaled::<32>(&q, out, |b| f16(blocks[b].d));
}
