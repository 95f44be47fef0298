//! F16: IEEE f16.

use super::{decode::f16, float};
use crate::format::{BlockF16, F16};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, F16>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, float::each(decode));
}

#[inline]
fn decode(block: &BlockF16, [out]: &mut [f32; 1]) {
    *out = f16(block.v);
}
