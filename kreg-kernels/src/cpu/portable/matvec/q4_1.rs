//! Q4_1: `w = d * q + m`.

use half::f16;

use super::float::{self, Decode};
use crate::format::{BlockQ4_1, Q4_1};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q4_1>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    float::matvec(w, x, y, ws);
}

impl Decode for Q4_1 {
    fn decode(block: &BlockQ4_1, out: &mut [f32]) {
        let (d, m) = (f16::from_le_bytes(block.d).to_f32(), f16::from_le_bytes(block.m).to_f32());
        let (low, high) = out.split_at_mut(16);
        for ((q, low), high) in block.qs.iter().zip(low).zip(high) {
            *low = d * f32::from(q & 15) + m;
            *high = d * f32::from(q >> 4) + m;
        }
    }
}
