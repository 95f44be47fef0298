//! APR_Q4: `w = d * (q - 8)`, adjacent weights in the two nibbles of a byte, one stream over the whole matrix.

use super::decode::f16;
use super::float;
use crate::format::{APR_Q4, BlockAPR_Q4};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, APR_Q4>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, decode);
}

#[inline]
fn decode(block: &BlockAPR_Q4, out: &mut [f32; 32]) {
    let d = f16(block.d);
    for (out, q) in out.as_chunks_mut().0.iter_mut().zip(block.qs) {
        *out = [q & 15, q >> 4].map(|q| d * f32::from(q as i8 - 8));
    }
}
