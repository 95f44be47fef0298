//! Q8_0: `w = d * q`, activations in 8 bits with a scale per 32.

use super::decode::f16;
use super::integer::{self, Integer};
use crate::format::{BlockQ8_0, Q8_0};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with `x` quantised to Q8_0.
pub fn matvec(w: Matrix<'_, Q8_0>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    integer::matvec(w, x, y, ws);
}

impl Integer for Q8_0 {
    /// `d`, and the weights over `d`.
    type Unpacked = (f32, [i16; 32]);
    const SUMS: usize = 0;

    #[inline]
    fn unpack(block: &BlockQ8_0) -> Self::Unpacked {
        (f16(block.d), block.qs.map(|q| i16::from(q as i8)))
    }

    #[inline]
    fn product((d, q): &Self::Unpacked, x: &[i16]) -> f32 {
        d * integer::dot(q, x) as f32
    }
}
