//! The loop nest of the product with many activation rows.
//!
//! Activations are packed once. Then, for each panel of weight rows: for each chunk of K, unpack the panel's weights,
//! and run every tile of at most [`MAX_WIDTH`] activation rows over them. Threads divide the panels.

use std::arch::x86_64::*;
use std::ops::Range;

use super::lanes::Rows;
use crate::Workspace;
use crate::cpu::split::{self, Columns};

/// The widest tile: its accumulators, a weight and a broadcast activation fill the 32 registers.
const MAX_WIDTH: usize = 12;

/// Up to this many activation rows a short chunk of K pays, so that unpacked weights stay in L1; above it a long one.
const FEW_ROWS: usize = 64;

/// An arithmetic: how activations are packed, weights unpacked, and a tile of both multiplied.
///
/// K is divided in steps, the unit of unpacking. A row's last step may be incomplete: both sides are padded with zeros.
pub(super) trait Arithmetic: Sync {
    /// Groups of sixteen weight rows in a panel.
    const GROUPS: usize;
    /// Inputs of a step.
    const STEP: usize;
    /// Vectors of a step of one group of weight rows.
    const WEIGHTS: usize;
    /// Words of a step of one activation row.
    const INPUTS: usize;
    /// Inputs of a chunk for few activation rows: a multiple of `STEP`.
    const FEW: usize;
    /// Inputs of a chunk for many.
    const MANY: usize;

    /// Packs a tile: `x` is `[width, cols]`, `out` is `width * INPUTS` words for each step.
    ///
    /// # Safety
    /// The CPU must have the features that the implementation enables.
    unsafe fn pack(x: &[f32], cols: usize, out: &mut [i32]);

    /// Unpacks step `step` of sixteen rows to `out`, `WEIGHTS` vectors.
    ///
    /// # Safety
    /// As for [`pack`](Self::pack).
    unsafe fn unpack(&self, rows: &Rows<'_>, step: usize, out: &mut [__m512i]);

    /// Adds the product of a panel `w` and a tile `x` of `MR` activation rows to `sums`, `GROUPS` vectors a row. The
    /// panel's groups lie one after the other.
    ///
    /// # Safety
    /// As for [`pack`](Self::pack).
    unsafe fn tile<const MR: usize>(w: &[__m512i], x: &[i32], sums: &mut [__m512]);
}

/// A weight matrix as bytes.
#[derive(Clone, Copy)]
pub(super) struct Source<'w> {
    /// The rows.
    pub(super) data: &'w [u8],
    /// Bytes of a row.
    pub(super) stride: usize,
    /// Number of rows.
    pub(super) rows: usize,
    /// Inputs of a row.
    pub(super) cols: usize,
}

/// `y = W x`.
///
/// # Panics
/// When `x` is not `[M, cols]` or `y` not `[M, rows]`.
///
/// # Safety
/// The CPU must have the level's features and those that `A` enables.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn matvec<A: Arithmetic>(
    arithmetic: &A,
    source: Source<'_>,
    x: &[f32],
    y: &mut [f32],
    ws: &mut Workspace,
) {
    assert!(x.len().is_multiple_of(source.cols), "x must be [M, cols]");
    let m = x.len() / source.cols;
    if m == 0 {
        return;
    }
    let steps = source.cols.div_ceil(A::STEP);
    let inputs = if m <= FEW_ROWS { A::FEW } else { A::MANY };
    let chunk = (inputs / A::STEP).min(steps);
    let work = source.data.len().saturating_mul(m);
    let tasks = split::tasks(source.rows.div_ceil(16 * A::GROUPS), work);
    let scratch = A::GROUPS * (chunk * A::WEIGHTS + m);
    let (packed, scratch) = ws.slices::<i32, __m512i>(m * steps * A::INPUTS, tasks * scratch);
    // SAFETY: the caller vouches for the features.
    unsafe { pack::<A>(x, source.cols, 0..tiles(m).len(), m, packed) };
    let product = Product { arithmetic, source, steps, chunk, m, packed };
    split::by_panels(y, m, source.rows, 16 * A::GROUPS, tasks, scratch, |out, scratch| {
        // SAFETY: the caller vouches for the features; every thread runs on the same kind of CPU.
        unsafe { product.panels(out, scratch) }
    });
}

/// Activation rows in tiles of equal width, or nearly so: there is no slow remainder.
fn tiles(m: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
    let n = m.div_ceil(MAX_WIDTH);
    (0..n).map(move |t| t * m / n..(t + 1) * m / n)
}

/// Packs the tiles `range` of the `m` activation rows to `out`, in parallel where there are several.
///
/// # Safety
/// The CPU must have the features that `A` enables.
unsafe fn pack<A: Arithmetic>(x: &[f32], cols: usize, range: Range<usize>, m: usize, out: &mut [i32]) {
    if range.len() == 1 {
        // SAFETY: the caller vouches for the features.
        return unsafe { A::pack(x, cols, out) };
    }
    let mid = range.start + range.len() / 2;
    let n = m.div_ceil(MAX_WIDTH);
    let rows = mid * m / n - range.start * m / n;
    let (x0, x1) = x.split_at(rows * cols);
    let (out0, out1) = out.split_at_mut(rows * cols.div_ceil(A::STEP) * A::INPUTS);
    rayon::join(
        // SAFETY: the caller vouches for the features.
        || unsafe { pack::<A>(x0, cols, range.start..mid, m, out0) },
        // SAFETY: as above.
        || unsafe { pack::<A>(x1, cols, mid..range.end, m, out1) },
    );
}

/// A product whose activations are packed.
struct Product<'a, A> {
    arithmetic: &'a A,
    source: Source<'a>,
    steps: usize,
    chunk: usize,
    m: usize,
    packed: &'a [i32],
}

impl<A: Arithmetic> Product<'_, A> {
    /// The weight rows of `out`, which start at a panel's first.
    ///
    /// # Safety
    /// The CPU must have the level's features and those that `A` enables.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn panels(&self, mut out: Columns<'_>, scratch: &mut [__m512i]) {
        let (panel, sums) = scratch.split_at_mut(A::GROUPS * self.chunk * A::WEIGHTS);
        let sums: &mut [__m512] = bytemuck::cast_slice_mut(sums);
        for first in out.range().step_by(16 * A::GROUPS) {
            sums.fill(_mm512_setzero_ps());
            for start in (0..self.steps).step_by(self.chunk) {
                let end = (start + self.chunk).min(self.steps);
                let panel = &mut panel[..A::GROUPS * (end - start) * A::WEIGHTS];
                // SAFETY: the caller vouches for the features.
                unsafe { self.unpack(first, start..end, panel) };
                for tile in tiles(self.m) {
                    let x = &self.packed[tile.start * self.steps * A::INPUTS..];
                    let x = &x[start * A::INPUTS * tile.len()..end * A::INPUTS * tile.len()];
                    let sums = &mut sums[tile.start * A::GROUPS..tile.end * A::GROUPS];
                    // SAFETY: the caller vouches for the features.
                    unsafe { run::<A>(tile.len(), panel, x, sums) };
                    if end == self.steps {
                        store(&mut out, tile, first, A::GROUPS, sums);
                    }
                }
            }
        }
    }

    /// Unpacks a chunk of the panel that starts at row `first`.
    ///
    /// # Safety
    /// As for [`panels`](Self::panels).
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn unpack(&self, first: usize, chunk: Range<usize>, panel: &mut [__m512i]) {
        let Source { data, stride, rows, .. } = self.source;
        for (g, group) in panel.chunks_exact_mut(chunk.len() * A::WEIGHTS).enumerate() {
            let rows = Rows::new(data, stride, rows, first + 16 * g);
            for (step, out) in chunk.clone().zip(group.chunks_exact_mut(A::WEIGHTS)) {
                // SAFETY: the caller vouches for the features.
                unsafe { self.arithmetic.unpack(&rows, step, out) }
            }
        }
    }
}

/// The tile of `width` activation rows.
///
/// # Safety
/// The CPU must have the features that `A` enables.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn run<A: Arithmetic>(width: usize, w: &[__m512i], x: &[i32], sums: &mut [__m512]) {
    macro_rules! widths {
        ($($n:literal)+) => {
            match width {
                // SAFETY: the caller vouches for the features.
                $($n => unsafe { A::tile::<$n>(w, x, sums) },)+
                _ => unreachable!("tiles are at most MAX_WIDTH wide"),
            }
        };
    }
    widths!(1 2 3 4 5 6 7 8 9 10 11 12)
}

/// Writes the finished sums of activation rows `tile` and the weight rows from `first`.
fn store(out: &mut Columns<'_>, tile: Range<usize>, first: usize, groups: usize, sums: &[__m512]) {
    let end = out.range().end.min(first + 16 * groups);
    let sums: &[f32] = bytemuck::cast_slice(sums);
    for (i, sums) in tile.zip(sums.chunks_exact(16 * groups)) {
        out.write(i, first..end, &sums[..end - first]);
    }
}
