//! IQ3_S: `w = d * (1 + 2 * scale) * sign * magnitude`, groups of 32.

use super::decode::{f16, nibble, scaled, signed};
use super::float;
use crate::cpu::codebook::iq3_s::GRID;
use crate::format::{BlockIQ3_S, IQ3_S};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, IQ3_S>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, float::each(decode));
}

#[inline]
fn decode(block: &BlockIQ3_S, out: &mut [f32; 256]) {
    let mut q = [0; 256];
    let entry = |i: usize| {
        let ninth = block.qh[i / 8] >> (i % 8) & 1;
        u64::from(GRID[usize::from(block.qs[i]) | usize::from(ninth) << 8])
    };
    for (i, (q, &signs)) in q.as_chunks_mut().0.iter_mut().zip(&block.signs).enumerate() {
        *q = signed(entry(2 * i) | entry(2 * i + 1) << 32, signs);
    }
    let d = f16(block.d);
    scaled::<32>(&q, out, |g| d * f32::from(1 + 2 * nibble(&block.scales, g)));
}
