//! Q5_K: `w = d * scale * q - dmin * minimum`, groups of 32.

use super::decode::{affine, f16, scales_and_minimums};
use super::float;
use crate::format::{BlockQ5_K, Q5_K};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q5_K>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, decode);
}

#[inline]
fn decode(block: &BlockQ5_K, out: &mut [f32; 256]) {
    let mut q = [0; 256];
    for (c, (qs, q)) in block.qs.as_chunks::<32>().0.iter().zip(q.as_chunks_mut::<64>().0).enumerate() {
        for (i, (qs, qh)) in qs.iter().zip(block.qh).enumerate() {
            q[i] = qs & 15 | (qh >> (2 * c) & 1) << 4;
            q[32 + i] = qs >> 4 | (qh >> (2 * c + 1) & 1) << 4;
        }
    }
    let (d, dmin) = (f16(block.d), f16(block.dmin));
    let (scales, minimums) = scales_and_minimums(&block.scales);
    affine::<32>(&q, out, |g| (d * f32::from(scales[g]), dmin * f32::from(minimums[g])));
}
