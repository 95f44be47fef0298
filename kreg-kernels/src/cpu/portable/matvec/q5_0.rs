//! Q5_0: `w = d * (q - 16)`.

use super::decode::{f16, fives};
use super::float;
use crate::format::{BlockQ5_0, Q5_0};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q5_0>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, decode);
}

#[inline]
fn decode(block: &BlockQ5_0, out: &mut [f32; 32]) {
    let d = f16(block.d);
    for (out, q) in out.iter_mut().zip(fives(block.qh, &block.qs)) {
        *out = d * f32::from(q as i8 - 16);
    }
}
