//! Q4_K: `w = d * scale * q - dmin * minimum`, groups of 32.

use crate::cpu::portable::matvec::decode::{affine, f16, scales_and_minimums};
use crate::cpu::portable::matvec::float;
use crate::format::{BlockQ4_K, Q4_K};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q4_K>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, float::each(decode));
}

#[inline]
fn decode(block: &BlockQ4_K, out: &mut [f32; 256]) {
    let mut q = [0; 256];
    for (q, qs) in q.as_chunks_mut::<64>().0.iter_mut().zip(block.qs.as_chunks::<32>().0) {
        let (low, high) = q.split_at_mut(32);
        for ((low, high), byte) in low.iter_mut().zip(high).zip(qs) {
            (*low, *high) = (byte & 15, byte >> 4);
        }
    }
    let (d, dmin) = (f16(block.d), f16(block.dmin));
    let (scales, minimums) = scales_and_minimums(&block.scales);
    affine::<32>(&q, out, |g| (d * f32::from(scales[g]), dmin * f32::from(minimums[g])));
}
