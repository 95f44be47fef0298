//! Blocks of 32 as two nibbles a byte: what Q4_0, Q4_1, Q5_0, Q5_1 and IQ4_NL share.

use std::arch::x86_64::*;

use bytemuck::Zeroable;

use super::super::load::{load_ps, load512};
use super::super::quantise::{quad_sums, quantise, sum};
use super::record;

record! {
    /// Activations for one register of weight bytes.
    Nibbles {
        /// against the low nibbles
        low: [i8; 64],
        /// against the high nibbles
        high: [i8; 64],
        /// what the integer sums start from
        start: [i32; 16],
        /// activation scale of each lane's block, 0 where there is none
        scale: [f32; 16],
    }
}

/// Where the blocks lie in the registers that a chunk of them fills, counted in 32-bit lanes.
pub(super) struct Layout {
    /// lanes of a block before its nibbles; the first of them carries the minimum
    pub(super) header: usize,
    /// blocks per chunk
    pub(super) blocks: usize,
    /// registers per chunk
    pub(super) registers: usize,
    /// what a nibble's value is too large by
    pub(super) offset: i32,
}

impl Layout {
    /// Quantises `x` per 32 and lays it out in `acts`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    #[inline]
    pub(super) fn prepare(&self, x: &[f32], acts: &mut [Nibbles]) {
        acts.fill(Zeroable::zeroed());
        for (j, x) in x.as_chunks::<32>().0.iter().enumerate() {
            let (q, s) = quantise(x);
            let (low, high) = q.split_at(16);
            let (low4, high4) = (quad_sums::<4>(low), quad_sums::<4>(high));
            let first = j / self.blocks * 16 * self.registers + j % self.blocks * (self.header + 4);
            for lane in 0..self.header + 4 {
                let (a, l) = (&mut acts[(first + lane) / 16], (first + lane) % 16);
                a.scale[l] = s;
                if lane == 0 && self.header > 0 {
                    a.start[l] = sum(&q);
                }
                let Some(t) = lane.checked_sub(self.header) else { continue };
                a.start[l] = -self.offset * (low4[t] + high4[t]);
                a.low[4 * l..4 * l + 4].copy_from_slice(&low[4 * t..4 * t + 4]);
                a.high[4 * l..4 * l + 4].copy_from_slice(&high[4 * t..4 * t + 4]);
            }
        }
    }
}

/// `sum` plus the products of one register: weights `low` and `high` (unsigned bytes), their f16 scales `d` a lane.
#[target_feature(enable = "avx512f,avx512vnni")]
#[inline]
pub(super) fn accumulate(sum: __m512, a: &Nibbles, low: __m512i, high: __m512i, d: __m256i) -> __m512 {
    let dots = _mm512_dpbusd_epi32(load512(&a.start), low, load512(&a.low));
    let dots = _mm512_dpbusd_epi32(dots, high, load512(&a.high));
    let dots = _mm512_mul_ps(_mm512_cvtepi32_ps(dots), load_ps(&a.scale));
    _mm512_fmadd_ps(dots, _mm512_cvtph_ps(d), sum)
}
