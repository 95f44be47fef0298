//! IQ3_XXS: `w = d * (0.5 + scale) / 2 * sign * magnitude`, groups of 32.

use super::decode::{even_signs, f16, scaled, signed};
use super::float;
use crate::cpu::codebook::iq3_xxs::GRID;
use crate::format::{BlockIQ3_XXS, IQ3_XXS};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, IQ3_XXS>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, float::each(decode));
}

#[inline]
fn decode(block: &BlockIQ3_XXS, out: &mut [f32; 256]) {
    let (signs, mut q) = (block.gas.as_chunks().0, [0; 256]);
    let groups = block.qs.as_chunks::<8>().0.iter().zip(signs);
    for ((indices, &signs), q) in groups.zip(q.as_chunks_mut::<32>().0) {
        let signs = u32::from_le_bytes(signs);
        for (j, (&[a, b], q)) in indices.as_chunks().0.iter().zip(q.as_chunks_mut().0).enumerate() {
            let (a, b) = (GRID[usize::from(a)], GRID[usize::from(b)]);
            *q = signed(u64::from(a) | u64::from(b) << 32, even_signs(signs >> (7 * j)));
        }
    }
    let d = f16(block.d);
    scaled::<32>(&q, out, |g| d * 0.5 * (0.5 + f32::from(signs[g][3] >> 4)));
}
