//! The product of the types whose activations stay in f32: decode up to 256 weights, then use them for every
//! activation row.
//!
//! Weights are decoded element by element, so each is the f32 nearest to its format's value and a product of `K`
//! terms stays inside `gamma_K * sum |w| |x|` even where a scale and a minimum cancel. Each output is the sum of
//! [`LANES`] interleaved partial sums, in the same order for any number of rows or threads.

use crate::cpu::split::{self, Columns};
use crate::format::{Format, Storage};
use crate::matrix::Matrix;

/// Partial sums per output: four vectors of four, enough to hide the latency of an addition.
const LANES: usize = 16;

/// Weights decoded at a time: 1 KiB of f32.
const GROUP: usize = 256;

/// Activation rows that share one decoded group.
const TILE: usize = 32;

/// `y = W x`, where `decode` writes the weights of at most [`GROUP`] weights' worth of blocks.
pub(in crate::cpu) fn matvec<F: Format>(
    w: Matrix<'_, F>,
    x: &[f32],
    y: &mut [f32],
    decode: impl Fn(&[F::Block], &mut [f32]) + Sync,
) {
    const { assert!(GROUP.is_multiple_of(F::ELEMS)) }
    let m = super::rows_of(x, w.cols());
    split::by_rows(y, m, w.rows(), w.bytes().len().saturating_mul(m), |out| match m {
        0 => (),
        1 => rows::<F, 1>(&w, x, out, &decode),
        _ => rows::<F, TILE>(&w, x, out, &decode),
    });
}

/// A decoder of several blocks from one of a single block of `N` weights.
pub(in crate::cpu) fn each<B, const N: usize>(
    decode: impl Fn(&B, &mut [f32; N]),
) -> impl Fn(&[B], &mut [f32]) {
    move |blocks, out| {
        for (block, out) in blocks.iter().zip(out.as_chunks_mut().0) {
            decode(block, out);
        }
    }
}

/// The outputs of one thread, for up to `T` activation rows at a time.
fn rows<F: Format, const T: usize>(
    w: &Matrix<'_, F>,
    x: &[f32],
    mut out: Columns<'_>,
    decode: &impl Fn(&[F::Block], &mut [f32]),
) {
    let cols = w.cols();
    let mut weights = [0.0; GROUP];
    for r in out.range() {
        for (tile, x) in x.chunks(T.saturating_mul(cols)).enumerate() {
            let mut sums = [[0.0; LANES]; T];
            let (blocks, mut skip) = row_blocks(w, r);
            let mut k = 0;
            for group in blocks.chunks(GROUP / F::ELEMS) {
                let n = group.len() * F::ELEMS;
                decode(group, &mut weights[..n]);
                let weights = &weights[skip..n.min(skip + cols - k)];
                for (sums, x) in sums.iter_mut().zip(x.chunks_exact(cols)) {
                    multiply_add(weights, &x[k..k + weights.len()], sums);
                }
                k += weights.len();
                skip = 0;
            }
            for (i, sums) in sums.into_iter().take(x.len() / cols).enumerate() {
                out.set(tile * T + i, r, total(sums));
            }
        }
    }
}

/// The blocks that hold row `r`, and how many weights of the first one belong to the row before.
fn row_blocks<'w, F: Format>(w: &Matrix<'w, F>, r: usize) -> (&'w [F::Block], usize) {
    match F::STORAGE {
        Storage::Rows => (w.row(r), 0),
        Storage::Flat { .. } => {
            let (start, end) = (r * w.cols(), (r + 1) * w.cols());
            (&w.blocks()[start / F::ELEMS..end.div_ceil(F::ELEMS)], start % F::ELEMS)
        }
    }
}

/// `sums[k % LANES] += w[k] * x[k]`. A ragged end touches its own lanes only: padding could turn Inf into NaN.
#[inline]
fn multiply_add(w: &[f32], x: &[f32], sums: &mut [f32; LANES]) {
    let ((w, w_end), (x, x_end)) = (w.as_chunks::<LANES>(), x.as_chunks::<LANES>());
    let mut lanes = *sums;
    for (w, x) in w.iter().zip(x) {
        for ((sum, w), x) in lanes.iter_mut().zip(w).zip(x) {
            *sum += w * x;
        }
    }
    for ((sum, w), x) in lanes.iter_mut().zip(w_end).zip(x_end) {
        *sum += w * x;
    }
    *sums = lanes;
}

/// The sum of all lanes, halving.
#[inline]
fn total(mut lanes: [f32; LANES]) -> f32 {
    for half in [8, 4, 2, 1] {
        let (low, high) = lanes.split_at_mut(half);
        low.iter_mut().zip(high).for_each(|(low, high)| *low += *high);
    }
    lanes[0]
}
