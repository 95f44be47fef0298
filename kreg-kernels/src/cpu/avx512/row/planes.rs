//! Super-blocks whose 64 bytes hold four planes of 2-bit fields: what Q2_K and Q3_K share.
//!
//! The group's scale is multiplied in inside the lookup: each 128-bit lane of a byte shuffle's table holds the scaled
//! values of its own group. So all four planes add up in one integer register, and no group needs a step of its own.

use bytemuck::Zeroable;

use super::super::quantise::{quad_sums, quantise, sum};
use super::record;

record! {
    /// Activations for one super-block.
    Acts {
        /// plane by plane: weights `32 p` to `32 p + 32` and the same of the upper half
        q: [[[i8; 32]; 2]; 4],
        /// what the integer sums start from
        start: [i32; 16],
        /// sum of the activations of each group of 16
        sums: [i16; 16],
        /// their scale
        scale: f32,
        pad: [u8; 28],
    }
}

/// The group of 128-bit lane `lane` of plane `p`.
pub(super) const fn group(p: usize, lane: usize) -> usize {
    2 * p + lane % 2 + 8 * (lane / 2)
}

/// Quantises `x` per 256 and lays it out in `acts`, for values that are `offset` too large.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
pub(super) fn prepare(x: &[f32], acts: &mut [Acts], offset: i32) {
    for (x, a) in x.as_chunks::<256>().0.iter().zip(acts) {
        let (codes, scale) = quantise(x);
        let halves: [[[i8; 32]; 4]; 2] = bytemuck::cast(codes);
        let q: [_; 4] = std::array::from_fn(|p| halves.map(|half| half[p]));
        let mut start = [0; 16];
        for plane in &q {
            for (start, sum) in start.iter_mut().zip(quad_sums::<16>(plane.as_flattened())) {
                *start -= offset * sum;
            }
        }
        let groups: [[i8; 16]; 16] = bytemuck::cast(codes);
        let sums = groups.each_ref().map(|q| sum(q) as i16);
        *a = Acts { q, start, sums, scale, ..Zeroable::zeroed() };
    }
}
