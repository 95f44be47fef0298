//! Types whose activations stay in f32: 32 weights become floats at a time.

use std::ops::Range;

use super::{takes, total};
use crate::cpu::simd::{Simd, Task, panel};
use crate::cpu::split::{self, Columns};
use crate::format::{Format, Storage};
use crate::{Matrix, Workspace};

/// Weights decoded at a time, and partial sums per output: four vectors of eight hide the latency of an addition.
pub(in crate::cpu::simd) const STEP: usize = 32;

/// A type whose weights become floats.
pub(crate) trait Float: Format {
    /// A block of weights that are zero.
    const ZERO: Self::Block;

    /// The activation rows up to which each by itself meets a block of weight rows instead of a panel, as measured.
    const UP_TO: usize = super::UP_TO;

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
    ws: &mut Workspace,
) {
    if !takes(w, x, F::UP_TO) {
        return panel::matvec(s, &panel::Floats(w), (w.rows(), w.cols()), x, y, ws);
    }
    assert!(x.len().is_multiple_of(w.cols()), "x must be [M, cols]");
    let (scale, m) = (F::scale(w), x.len() / w.cols());
    split::by_rows(y, m, w.rows(), w.bytes().len(), |mut out| {
        // One activation row at a time: two in f32 fill the L1.
        for rows in split::blocks(out.range(), m, w.bytes().len() / w.rows()) {
            for (i, x) in x.chunks_exact(w.cols()).enumerate() {
                let out = out.activations(i..i + 1, rows.clone());
                s.vectorise(Share { w, x, scale, out });
            }
        }
    });
}

/// Weight rows of one thread.
struct Share<'a, F: Float> {
    w: Matrix<'a, F>,
    x: &'a [f32],
    scale: f32,
    out: Columns<'a>,
}

impl<F: Float> Task for Share<'_, F> {
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        for r in self.out.range() {
            self.row(s, r);
        }
    }
}

impl<F: Float> Share<'_, F> {
    /// Weight row `r`.
    #[inline(always)]
    fn row<S: Simd>(&mut self, s: S, r: usize) {
        let mut x = self.x;
        let (mut blocks, skip) = row_blocks(self.w, r);
        let mut sums = [s.splat_float(0.0); 4];
        if skip > 0 {
            let (first, rest) = blocks.split_at(STEP / F::ELEMS);
            let range = skip..STEP.min(skip + x.len());
            edge(s, F::decode(s, first, self.scale), range, &mut x, &mut sums);
            blocks = rest;
        }
        let (body, end) = blocks.split_at(x.len() / STEP * (STEP / F::ELEMS));
        let (whole, mut rest) = x.as_chunks::<STEP>();
        for (step, x) in body.chunks_exact(STEP / F::ELEMS).zip(whole) {
            multiply_add(s, &F::decode(s, step, self.scale), x, &mut sums);
        }
        if !rest.is_empty() {
            let range = 0..rest.len();
            edge(s, padded::<S, F>(s, end, self.scale), range, &mut rest, &mut sums);
        }
        let [a, b, c, d] = sums;
        self.out.set(0, r, total(s, s.add(s.add(a, c), s.add(b, d))));
    }
}

/// Weights of less than a step, and zeros.
#[inline(always)]
fn padded<S: Simd, F: Float>(s: S, blocks: &[F::Block], scale: f32) -> [S::Floats; 4] {
    let mut padded = [F::ZERO; STEP];
    padded[..blocks.len()].copy_from_slice(blocks);
    F::decode(s, &padded[..STEP / F::ELEMS], scale)
}

/// Weights `STEP * step` to `STEP * (step + 1)` of row `r`, zeros past its end.
#[inline(always)]
pub(in crate::cpu::simd) fn weights<S: Simd, F: Float>(
    s: S,
    w: Matrix<'_, F>,
    scale: f32,
    r: usize,
    step: usize,
) -> [S::Floats; 4] {
    let (blocks, skip) = row_blocks(w, r);
    let (from, to) = (step * STEP, w.cols().min((step + 1) * STEP));
    let here = &blocks[from / F::ELEMS..];
    if skip == 0 && to - from == STEP {
        return F::decode(s, &here[..STEP / F::ELEMS], scale);
    }
    let mut own = [0.0; 2 * STEP];
    for (own, blocks) in own.as_chunks_mut::<STEP>().0.iter_mut().zip(here.chunks(STEP / F::ELEMS)) {
        *own = array(s, padded::<S, F>(s, blocks, scale));
    }
    own[skip + to - from..].fill(0.0);
    vectors(s, own[skip..].first_chunk().expect("a skip is less than a step"))
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
fn multiply_add<S: Simd>(s: S, weights: &[S::Floats; 4], x: &[f32; STEP], sums: &mut [S::Floats; 4]) {
    for ((w, x), sum) in weights.iter().zip(vectors(s, x)).zip(sums) {
        *sum = s.mul_add(*w, x, *sum);
    }
}

/// Four vectors of eight.
#[inline(always)]
fn vectors<S: Simd>(s: S, v: &[f32; STEP]) -> [S::Floats; 4] {
    let [a, b, c, d]: &[[[u8; 4]; 8]; 4] = bytemuck::cast_ref(v);
    [s.floats(a), s.floats(b), s.floats(c), s.floats(d)]
}

/// The floats of four vectors of eight.
#[inline(always)]
fn array<S: Simd>(s: S, [a, b, c, d]: [S::Floats; 4]) -> [f32; STEP] {
    bytemuck::cast([s.to_array(a), s.to_array(b), s.to_array(c), s.to_array(d)])
}

/// `scale * code` for [`STEP`] signed codes.
#[inline(always)]
pub(super) fn scaled<S: Simd>(s: S, codes: S::Bytes, scale: S::Floats) -> [S::Floats; 4] {
    let [a, b, c, d] = s.signed_bytes(codes);
    [s.mul(scale, a), s.mul(scale, b), s.mul(scale, c), s.mul(scale, d)]
}

/// As [`multiply_add`] for the weights `range` of a step, whose activations are taken off the front of `x`. The
/// others are zeroed first: they may be infinite.
#[inline(always)]
fn edge<S: Simd>(
    s: S,
    weights: [S::Floats; 4],
    range: Range<usize>,
    x: &mut &[f32],
    sums: &mut [S::Floats; 4],
) {
    let (mut own, mut padded) = ([0.0; STEP], [0.0; STEP]);
    own[range.clone()].copy_from_slice(&array(s, weights)[range.clone()]);
    let (front, rest) = x.split_at(range.len());
    padded[range].copy_from_slice(front);
    multiply_add(s, &vectors(s, &own), &padded, sums);
    *x = rest;
}
