//! BF16: The upper half of an f32.

use super::float;
use crate::format::BF16;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, BF16>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, |block, [out]| {
        *out = f32::from_bits(u32::from(u16::from_le_bytes(block.v)) << 16)
    });
}
