//! Q5_1: `w = d * q + m`.

use super::decode::{f16, fives};
use super::float;
use crate::format::{BlockQ5_1, Q5_1};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q5_1>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, decode);
}

#[inline]
fn decode(block: &BlockQ5_1, out: &mut [f32; 32]) {
    let (d, m) = (f16(block.d), f16(block.m));
    for (out, q) in out.iter_mut().zip(fives(block.qh, &block.qs)) {
        *out = d * f32::from(q) + m;
    }
}
