//! F32: IEEE f32, as it lies.

use super::float;
use crate::format::F32;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, F32>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, |block, [out]| *out = f32::from_le_bytes(block.v));
}
