//! IQ4_NL: `w = d * value`.

use super::decode::{f16, nibbles};
use super::float;
use crate::cpu::codebook::iq4_nl::VALUES;
use crate::format::{BlockIQ4_NL, IQ4_NL};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, IQ4_NL>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, decode);
}

#[inline]
fn decode(block: &BlockIQ4_NL, out: &mut [f32; 32]) {
    let d = f16(block.d);
    for (out, q) in out.iter_mut().zip(nibbles(&block.qs)) {
        *out = d * f32::from(VALUES[usize::from(q)]);
    }
}
