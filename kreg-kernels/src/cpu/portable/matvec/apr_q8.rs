//! APR_Q8: `w = scale * q`, one f32 scale for the whole matrix.

use super::float;
use crate::format::{APR_Q8, BlockAPR_Q8};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, APR_Q8>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    let &[a, b, c, d, ..] = w.bytes() else { unreachable!("a matrix includes its header") };
    let scale = f32::from_le_bytes([a, b, c, d]);
    let decode =
        |block: &BlockAPR_Q8, [out]: &mut [f32; 1]| *out = scale * f32::from(block.q[0].cast_signed());
    float::matvec(w, x, y, float::each(decode));
}
