//! Q4_1: `w = d * q + m`.

use super::decode::{f16, nibbles};
use super::float;
use crate::format::{BlockQ4_1, Q4_1};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q4_1>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, decode);
}

#[inline]
fn decode(block: &BlockQ4_1, out: &mut [f32; 32]) {
    let (d, m) = (f16(block.d), f16(block.m));
    for (out, q) in out.iter_mut().zip(nibbles(&block.qs)) {
        *out = d * f32::from(q) + m;
    }
}
