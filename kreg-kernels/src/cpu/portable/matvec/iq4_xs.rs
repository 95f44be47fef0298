//! IQ4_XS: `w = d * (scale - 32) * value`, groups of 32.

use super::decode::{f16, nibble, scaled, values};
use super::float;
use crate::format::{BlockIQ4_XS, IQ4_XS};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, IQ4_XS>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, float::each(decode));
}

#[inline]
fn decode(block: &BlockIQ4_XS, out: &mut [f32; 256]) {
    let mut q = [0; 256];
    for (qs, q) in block.qs.as_chunks().0.iter().zip(q.as_chunks_mut().0) {
        values(qs, q);
    }
    let (d, upper) = (f16(block.d), u16::from_le_bytes(block.scales_h));
    scaled::<32>(&q, out, |g| {
        let scale = nibble(&block.scales_l, g) | ((upper >> (2 * g)) as u8 & 3) << 4;
        d * f32::from(scale as i8 - 32)
    });
}
