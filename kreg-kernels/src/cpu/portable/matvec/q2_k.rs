//! Q2_K: `w = d * scale * q - dmin * minimum`, groups of 16.

use super::decode::{affine, f16};
use super::float;
use crate::format::{BlockQ2_K, Q2_K};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q2_K>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, float::each(decode));
}

#[inline]
fn decode(block: &BlockQ2_K, out: &mut [f32; 256]) {
    let mut q = [0; 256];
    for (qs, q) in block.qs.as_chunks::<32>().0.iter().zip(q.as_chunks_mut::<128>().0) {
        for (j, q) in q.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            for (q, qs) in q.iter_mut().zip(qs) {
                *q = qs >> (2 * j) & 3;
            }
        }
    }
    let (d, dmin) = (f16(block.d), f16(block.dmin));
    affine::<16>(&q, out, |g| {
        let packed = block.scales[g];
        (d * f32::from(packed & 15), dmin * f32::from(packed >> 4))
    });
}
