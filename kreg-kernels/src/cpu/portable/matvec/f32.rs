//! F32: IEEE f32, as it lies.

use super::float;
use crate::format::{BlockF32, F32};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, F32>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, float::each(decode));
}

#[inline]
fn decode(block: &BlockF32, [out]: &mut [f32; 1]) {
    *out = f32::from_le_bytes(block.v);
}
