//! Q5_K: `w = d * scale * q - dmin * minimum`, groups of 32.

use super::decode::{affine, f16, scales_and_minimums};
use super::float;
use crate::format::{BlockQ5_K, Q5_K};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q5_K>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, float::each(decode));
}

#[inline]
fn decode(block: &BlockQ5_K, out: &mut [f32; 256]) {
    let mut q = [0; 256];
    for (g, q) in q.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        for ((q, qs), qh) in q.iter_mut().zip(&block.qs[g / 2 * 32..]).zip(&block.qh) {
            *q = qs >> (g % 2 * 4) & 15 | (qh >> g & 1) << 4;
        }
    }
    let (d, dmin) = (f16(block.d), f16(block.dmin));
    let (scales, minimums) = scales_and_minimums(&block.scales);
    affine::<32>(&q, out, |g| (d * f32::from(scales[g]), dmin * f32::from(minimums[g])));
}
