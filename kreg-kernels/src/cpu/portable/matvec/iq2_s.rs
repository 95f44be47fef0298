//! IQ2_S: `w = d * (0.5 + scale) / 4 * sign * magnitude`, groups of 16.

use super::decode::{f16, nibble, scaled, signed};
use super::float;
use crate::cpu::codebook::iq2_s::GRID;
use crate::format::{BlockIQ2_S, IQ2_S};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, IQ2_S>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, float::each(decode));
}

#[inline]
fn decode(block: &BlockIQ2_S, out: &mut [f32; 256]) {
    let mut q = [0; 256];
    for (i, q) in q.as_chunks_mut().0.iter_mut().enumerate() {
        let upper = block.qh[i / 4] >> (2 * (i % 4)) & 3;
        let index = usize::from(block.qs[i]) | usize::from(upper) << 8;
        *q = signed(GRID[index], block.signs[i]);
    }
    let d = f16(block.d);
    scaled::<16>(&q, out, |g| d * 0.25 * (0.5 + f32::from(nibble(&block.scales, g))));
}
