//! APR_Q4: neighbouring nibbles, activations in f32. The blocks run through the whole matrix, so when K is no multiple
//! of 32 a row starts inside a block and ends inside another.
//!
//! Even and odd activations are stored apart, zeros before and after. Then a row that starts at element `o` of its
//! first block reads them `o / 2` places back, swapped when `o` is odd: one loop for every K. Weights of other rows in
//! its first and last block meet zeros.

use std::arch::x86_64::*;

use super::super::load::{half, load_ps, load128, reduce};
use super::{Row, Single, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::{APR_Q4, BlockAPR_Q4};

/// Activations before the first and after the last one of either kind.
const PAD: usize = 16;

/// A row: the blocks that it has a part in, and the activations that their low and high nibbles meet.
struct Span<'a> {
    blocks: &'a [BlockAPR_Q4],
    low: &'a [[f32; 16]],
    high: &'a [[f32; 16]],
}

impl<'a> Span<'a> {
    #[inline]
    fn new(w: Matrix<'a, APR_Q4>, r: usize, acts: &'a [f32]) -> Self {
        let (first, skip) = (r * w.cols() / 32, r * w.cols() % 32);
        let (even, odd) = acts.split_at(acts.len() / 2);
        let from = PAD - skip / 2;
        let (low, high) = if skip.is_multiple_of(2) {
            (&even[from..], &odd[from..])
        } else {
            (&odd[from - 1..], &even[from..])
        };
        Self {
            blocks: &w.blocks()[first..][..(skip + w.cols()).div_ceil(32)],
            low: low.as_chunks().0,
            high: high.as_chunks().0,
        }
    }
}

/// Rows `rows`.
#[inline]
fn spans<'a, const S: usize>(w: Matrix<'a, APR_Q4>, rows: [usize; S], acts: &'a [f32]) -> [Span<'a>; S] {
    rows.map(|r| Span::new(w, r, acts))
}

/// The nibble in bits `from` to `from + 4` of each lane as a float, less 8. As the last bits of a float whose unit they
/// are it is a number at once; a table lookup would add to the shuffles, which are the bottleneck.
#[target_feature(enable = "avx512f")]
#[inline]
fn nibble(lanes: __m512i, from: u32) -> __m512 {
    let unit = f32::from_bits((150 - from) << 23);
    let (mask, unit_bits) = (_mm512_set1_epi32(15 << from), _mm512_set1_epi32(unit.to_bits().cast_signed()));
    // (lanes & mask) | unit_bits
    let above = _mm512_ternarylogic_epi32::<0xEA>(lanes, mask, unit_bits);
    _mm512_sub_ps(_mm512_castsi512_ps(above), _mm512_set1_ps(unit + 8.0))
}

impl Row for APR_Q4 {
    type Acts = f32;
    const CHUNK: usize = 1;
    const UP_TO: usize = 4;

    fn acts(cols: usize) -> usize {
        2 * (PAD + cols.div_ceil(2) + PAD)
    }

    unsafe fn prepare(x: &[f32], acts: &mut [f32]) {
        acts.fill(0.0);
        let (even, odd) = acts.split_at_mut(acts.len() / 2);
        for (i, pair) in x.chunks(2).enumerate() {
            even[PAD + i] = pair[0];
            odd[PAD + i] = pair.get(1).copied().unwrap_or(0.0);
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[f32], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 1>(w, acts, out) }
    }
}

impl Single for APR_Q4 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[f32]) -> [f32; S] {
        let mut sums = [_mm512_setzero_ps(); S];
        for (sum, span) in sums.iter_mut().zip(spans(w, rows, acts)) {
            for ((block, low), high) in span.blocks.iter().zip(span.low).zip(span.high) {
                let q = _mm512_cvtepu8_epi32(load128(&block.qs));
                let dots = _mm512_mul_ps(nibble(q, 0), load_ps(low));
                let dots = _mm512_fmadd_ps(nibble(q, 4), load_ps(high), dots);
                *sum = _mm512_fmadd_ps(dots, _mm512_broadcastss_ps(half(block.d)), *sum);
            }
        }
        reduce(sums)
    }
}
