//! Q6_K: `w = d * scale * (q - 32)`, groups of 16.

use super::decode::{f16, scaled};
use super::float;
use crate::format::{BlockQ6_K, Q6_K};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q6_K>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, float::each(decode));
}

#[inline]
fn decode(block: &BlockQ6_K, out: &mut [f32; 256]) {
    let mut q = [0; 256];
    let halves = block.ql.as_chunks::<64>().0.iter().zip(block.qh.as_chunks::<32>().0);
    for ((ql, qh), q) in halves.zip(q.as_chunks_mut::<128>().0) {
        for (j, q) in q.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            for ((q, ql), qh) in q.iter_mut().zip(&ql[32 * (j % 2)..]).zip(qh) {
                *q = (ql >> (4 * (j / 2)) & 15 | (qh >> (2 * j) & 3) << 4) as i8 - 32;
            }
        }
    }
    let d = f16(block.d);
    scaled::<16>(&q, out, |g| d * f32::from(block.scales[g].cast_signed()));
}
