//! Types whose activations stay in f32: 32 weights become floats at a time, for every activation row.

use std::ops::Range;

use super::{GROUP, TILE, total};
use crate::cpu::simd::{Simd, Task};
use crate::cpu::split::{self, Columns};
use crate::format::{Format, Storage};
use crate::{Matrix, Workspace};

/// Weights decoded at a time, and partial sums per output: four vectors of eight hide the latency of an addition.
const STEP: usize = 32;

/// A type whose weights become floats.
pub(crate) trait Float: Format {
    /// A block of weights that are zero.
    const ZERO: Self::Block;

    /// The weights of `blocks`, [`STEP`] of them, where `scale` is that of the whole matrix, for types that have one. To
    /// be marked `#[inline(always)]`.
    fn decode<S: Simd>(s: S, blocks: &[Self::Block], scale: f32) -> [S::Floats; 4];

    /// The scale of the whole matrix.
    fn scale(_: Matrix<'_, Self>) -> f32 {
        1.0
    }
}

/// `y = W x` for each activation row of `x`, in f32.
///
/// # Panics
/// When `x` is not `[M, cols]` or `y` not `[M, rows]`.
#[inline(always)]
pub(crate) fn matvec<S: Simd, F: Float>(
    s: S,
    w: Matrix<'_, F>,
    x: &[f32],
    y: &mut [f32],
    _ws: &mut Workspace,
) {
    assert!(x.len().is_multiple_of(w.cols()), "x must be [M, cols]");
    let (m, scale) = (x.len() / w.cols(), F::scale(w));
    split::by_rows(y, m, w.rows(), w.bytes().len().saturating_mul(m), |out| {
        s.vectorise(Share { w, x, m, scale, out });
    });
}

/// The weight rows of one thread.
struct Share<'a, F: Float> {
    w: Matrix<'a, F>,
    x: &'a [f32],
    m: usize,
    scale: f32,
    out: Columns<'a>,
}

impl<F: Float> Task for Share<'_, F> {
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let range = self.out.range();
        let mut from = 0;
        while from < self.m {
            let to = self.m.min(from + GROUP);
            for r in range.clone() {
                let mut i = from;
                while i + TILE <= to {
                    self.tile::<S, TILE>(s, r, i);
                    i += TILE;
                }
                while i < to {
                    self.tile::<S, 1>(s, r, i);
                    i += 1;
                }
            }
            from = to;
        }
    }
}

impl<F: Float> Share<'_, F> {
    /// Weight row `r` with the activation rows from `i` to `i + T`.
    #[inline(always)]
    fn tile<S: Simd, const T: usize>(&mut self, s: S, r: usize, i: usize) {
        let cols = self.w.cols();
        let mut xs: [&[f32]; T] = [&[]; T];
        for (t, x) in xs.iter_mut().enumerate() {
            *x = &self.x[(i + t) * cols..(i + t + 1) * cols];
        }
        let (mut blocks, skip) = row_blocks(self.w, r);
        let mut sums = [[s.splat_float(0.0); 4]; T];
        if skip > 0 {
            let (first, rest) = blocks.split_at(STEP / F::ELEMS);
            edge(s, F::decode(s, first, self.scale), skip..STEP.min(skip + cols), &mut xs, &mut sums);
            blocks = rest;
        }
        let whole = xs[0].len() / STEP;
        let (body, end) = blocks.split_at(whole * (STEP / F::ELEMS));
        for (k, step) in body.chunks_exact(STEP / F::ELEMS).enumerate() {
            let weights = F::decode(s, step, self.scale);
            for (x, sums) in xs.iter().zip(&mut sums) {
                multiply_add(s, &weights, &x[k * STEP..(k + 1) * STEP], sums);
            }
        }
        for x in &mut xs {
            *x = &x[whole * STEP..];
        }
        if !xs[0].is_empty() {
            let mut padded = [F::ZERO; STEP];
            padded[..end.len()].copy_from_slice(end);
            let weights = F::decode(s, &padded[..STEP / F::ELEMS], self.scale);
            edge(s, weights, 0..xs[0].len(), &mut xs, &mut sums);
        }
        for (t, [a, b, c, d]) in sums.into_iter().enumerate() {
            self.out.set(i + t, r, total(s, s.add(s.add(a, c), s.add(b, d))));
        }
    }
}

/// The blocks that hold row `r`, and how many weights of the first one belong to the row before.
#[inline(always)]
fn row_blocks<F: Format>(w: Matrix<'_, F>, r: usize) -> (&[F::Block], usize) {
    match F::STORAGE {
        Storage::Rows => (w.row(r), 0),
        Storage::Flat { .. } => {
            let (start, end) = (r * w.cols(), (r + 1) * w.cols());
            (&w.blocks()[start / F::ELEMS..end.div_ceil(F::ELEMS)], start % F::ELEMS)
        }
    }
}

/// `sums += weights * x` for [`STEP`] activations `x`.
#[inline(always)]
fn multiply_add<S: Simd>(s: S, weights: &[S::Floats; 4], x: &[f32], sums: &mut [S::Floats; 4]) {
    let x: &[[[u8; 4]; 8]] = bytemuck::cast_slice(x);
    for ((w, x), sum) in weights.iter().zip(x).zip(sums) {
        *sum = s.mul_add(*w, s.floats(x), *sum);
    }
}

/// `scale * code` for [`STEP`] signed codes.
#[inline(always)]
pub(super) fn scaled<S: Simd>(s: S, codes: S::Bytes, scale: S::Floats) -> [S::Floats; 4] {
    let [a, b, c, d] = s.signed_bytes(codes);
    [s.mul(scale, a), s.mul(scale, b), s.mul(scale, c), s.mul(scale, d)]
}

/// As [`multiply_add`] for the weights `range` of a step, whose activations are taken off the front of each of `xs`. The
/// others are zeroed first: they may be infinite.
#[inline(always)]
fn edge<S: Simd, const T: usize>(
    s: S,
    weights: [S::Floats; 4],
    range: Range<usize>,
    xs: &mut [&[f32]; T],
    sums: &mut [[S::Floats; 4]; T],
) {
    let mut own = [0.0; STEP];
    let [a, b, c, d] = weights;
    let all = [s.to_array(a), s.to_array(b), s.to_array(c), s.to_array(d)];
    own[range.clone()].copy_from_slice(&all.as_flattened()[range.clone()]);
    let [a, b, c, d]: &[[[u8; 4]; 8]; 4] = bytemuck::cast_ref(&own);
    let weights = [s.floats(a), s.floats(b), s.floats(c), s.floats(d)];
    for (x, sums) in xs.iter_mut().zip(sums) {
        let mut padded = [0.0; STEP];
        let (front, rest) = x.split_at(range.len());
        padded[range.clone()].copy_from_slice(front);
        multiply_add(s, &weights, &padded, sums);
        *x = rest;
    }
}
