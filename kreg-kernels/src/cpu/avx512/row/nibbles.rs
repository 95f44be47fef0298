//! Blocks of 32 as two nibbles a byte: what Q4_0, Q4_1, Q5_0, Q5_1 and IQ4_NL share.

use std::arch::x86_64::*;

use bytemuck::{Pod, Zeroable};

use super::super::load::{load_ps, load512};
use super::super::quantise::{quantise, sum};

/// Activations for a chunk of blocks whose bytes fill `R` registers.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Nibbles<const R: usize> {
    /// against the low nibbles
    low: [[i8; 64]; R],
    /// against the high nibbles
    high: [[i8; 64]; R],
    /// what the integer sums start from
    start: [[i32; 16]; R],
    /// activation scale of each lane's block, 0 where there is none
    scale: [[f32; 16]; R],
}

// SAFETY: fields of whole cache lines, so there is no padding; integers and floats take every bit pattern.
unsafe impl<const R: usize> Zeroable for Nibbles<R> {}
// SAFETY: as above; `Copy`, `'static`, no interior mutability, no pointers.
unsafe impl<const R: usize> Pod for Nibbles<R> {}

/// Where the blocks lie in the registers that a chunk of them fills, counted in 32-bit lanes.
pub(super) struct Layout {
    /// lanes of a block before its nibbles; the first of them carries the minimum
    pub(super) header: usize,
    /// blocks per chunk
    pub(super) blocks: usize,
    /// what a nibble's value is too large by
    pub(super) offset: i32,
}

impl Layout {
    /// Quantises `x` per 32 and lays it out in `acts`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    #[inline]
    pub(super) fn prepare<const R: usize>(&self, x: &[f32], acts: &mut [Nibbles<R>]) {
        for (x, a) in x.chunks(32 * self.blocks).zip(acts) {
            *a = Zeroable::zeroed();
            let (start, scale) = (a.start.as_flattened_mut(), a.scale.as_flattened_mut());
            for (b, x) in x.as_chunks::<32>().0.iter().enumerate() {
                let (q, s) = quantise(x);
                let first = b * (self.header + 4);
                let nibbles = first + self.header;
                scale[first..nibbles + 4].fill(s);
                if self.header > 0 {
                    start[first] = sum(&q);
                }
                let (low, high) = q.split_at(16);
                for (t, sum) in start[nibbles..nibbles + 4].iter_mut().enumerate() {
                    let quad = |q: &[i8]| q[4 * t..4 * t + 4].iter().map(|&q| i32::from(q)).sum::<i32>();
                    *sum = -self.offset * (quad(low) + quad(high));
                }
                a.low.as_flattened_mut()[4 * nibbles..][..16].copy_from_slice(low);
                a.high.as_flattened_mut()[4 * nibbles..][..16].copy_from_slice(high);
            }
        }
    }
}

/// `sum` plus the products of register `r` of a chunk: weights `low` and `high` (unsigned bytes), an f16 scale `d` for
/// each lane.
#[target_feature(enable = "avx512f,avx512vnni")]
#[inline]
pub(super) fn accumulate<const R: usize>(
    sum: __m512,
    (a, r): (&Nibbles<R>, usize),
    low: __m512i,
    high: __m512i,
    d: __m256i,
) -> __m512 {
    let dots = _mm512_dpbusd_epi32(load512(&a.start[r]), low, load512(&a.low[r]));
    let dots = _mm512_dpbusd_epi32(dots, high, load512(&a.high[r]));
    let dots = _mm512_mul_ps(_mm512_cvtepi32_ps(dots), load_ps(&a.scale[r]));
    _mm512_fmadd_ps(dots, _mm512_cvtph_ps(d), sum)
}
