//! IQ2_XXS: `w = d * (0.5 + scale) / 4 * sign * magnitude`, groups of 32.

use super::decode::{even_signs, f16, scaled, signed};
use super::float;
use crate::cpu::codebook::iq2_xxs::GRID;
use crate::format::{BlockIQ2_XXS, IQ2_XXS};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, IQ2_XXS>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, float::each(decode));
}

#[inline]
fn decode(block: &BlockIQ2_XXS, out: &mut [f32; 256]) {
    let (groups, mut q) = (block.qs.as_chunks::<8>().0, [0; 256]);
    for (&[a, b, c, d, ref rest @ ..], q) in groups.iter().zip(q.as_chunks_mut::<32>().0) {
        let signs = u32::from_le_bytes(*rest);
        for (j, (index, q)) in [a, b, c, d].into_iter().zip(q.as_chunks_mut().0).enumerate() {
            *q = signed(GRID[usize::from(index)], even_signs(signs >> (7 * j)));
        }
    }
    let d = f16(block.d);
    scaled::<32>(&q, out, |g| d * 0.25 * (0.5 + f32::from(groups[g][7] >> 4)));
}
