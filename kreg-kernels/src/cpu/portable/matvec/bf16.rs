//! BF16: the upper half of an f32.

use super::float;
use crate::format::{BF16, BlockBF16};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, BF16>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, float::each(decode));
}

#[inline]
fn decode(block: &BlockBF16, [out]: &mut [f32; 1]) {
    *out = f32::from_bits(u32::from(u16::from_le_bytes(block.v)) << 16);
}
