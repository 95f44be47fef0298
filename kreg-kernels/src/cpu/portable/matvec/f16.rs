//! F16: IEEE f16.

use super::{decode, float};
use crate::format::F16;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, F16>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, |block, [out]| *out = decode::f16(block.v));
}
