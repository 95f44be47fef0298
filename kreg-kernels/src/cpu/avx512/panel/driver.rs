//! The loop nest of the product with many activation rows.
//!
//! ```text
//! pack the activations, tile by tile
//! for each panel of weight rows (threads divide them)
//!     for each chunk of K
//!         unpack the panel's weights
//!         for each tile of at most 12 activation rows: sums += panel * tile
//! ```
//!
//! For many activation rows K is divided in blocks outermost, a block being one chunk, so that the packed activations of a
//! block stay in the last-level cache; sums rest in `y` from block to block.

use std::arch::x86_64::*;
use std::ops::Range;

use super::lanes::Rows;
use crate::Workspace;
use crate::cpu::split::{self, Chunks, Columns};
use crate::cpu::team;

/// The widest tile: two accumulators for each activation row, weights and a broadcast fit the 32 registers.
const MAX_WIDTH: usize = 12;

/// Up to this many activation rows a short chunk of K pays, so that unpacked weights stay in L1; above it
/// a long one, so that sums move less.
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
    /// Inputs that are unpacked at a time for few activation rows: a multiple of `STEP`.
    const FEW: usize;
    /// The same for many.
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
    assert_eq!(Some(y.len()), m.checked_mul(source.rows), "y must be [M, rows]");
    if m == 0 {
        return;
    }
    let steps = source.cols.div_ceil(A::STEP);
    let (block, chunk) = if m <= FEW_ROWS { (steps, A::FEW) } else { (A::MANY / A::STEP, A::MANY) };
    let chunk = (chunk / A::STEP).min(steps);
    let tasks = split::tasks(source.rows.div_ceil(16 * A::GROUPS), source.data.len().saturating_mul(m));
    let tile_words = MAX_WIDTH.min(m) * steps * A::INPUTS;
    let scratch = A::GROUPS * (chunk * A::WEIGHTS + m);
    let (packed, scratch) = ws.slices::<i32, __m512i>(m.div_ceil(MAX_WIDTH) * tile_words, tasks * scratch);
    // SAFETY: the caller vouches for the features.
    unsafe { pack::<A>(x, source.cols, packed, tile_words) };
    let product = Product { arithmetic, source, steps, block, chunk, m, packed, tile_words };
    split::by_panels(y, m, source.rows, 16 * A::GROUPS, tasks, scratch, |out, scratch| {
        // SAFETY: the caller vouches for the features; every thread runs on the same kind of CPU.
        unsafe { product.panels(out, scratch) }
    });
}

/// Tile `t` of `m` activation rows. Tiles have equal widths, or nearly so: there is no slow remainder.
fn tile(t: usize, m: usize) -> Range<usize> {
    let n = m.div_ceil(MAX_WIDTH);
    t * m / n..(t + 1) * m / n
}

/// `0..n` in pieces of `len`, the last of which may be shorter.
fn pieces(n: usize, len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n).step_by(len).map(move |start| start..n.min(start + len))
}

/// Packs each tile of `x`, `[M, cols]`, to `tile_words` words of `out`.
///
/// # Safety
/// The CPU must have the features that `A` enables.
unsafe fn pack<A: Arithmetic>(x: &[f32], cols: usize, out: &mut [i32], tile_words: usize) {
    let m = x.len() / cols;
    let tiles = Chunks::new(out, tile_words);
    let one = |t: usize| {
        let tile = tile(t, m);
        // SAFETY: each tile is packed once.
        let out = unsafe { tiles.get(t) };
        let out = &mut out[..tile.len() * cols.div_ceil(A::STEP) * A::INPUTS];
        // SAFETY: the caller vouches for the features.
        unsafe { A::pack(&x[tile.start * cols..tile.end * cols], cols, out) };
    };
    let n = m.div_ceil(MAX_WIDTH);
    if split::is_small(size_of_val(x)) {
        return (0..n).for_each(one);
    }
    team::for_each(n, &one);
}

/// A product whose activations are packed.
struct Product<'a, A> {
    arithmetic: &'a A,
    source: Source<'a>,
    /// Steps of K, of a block and of a chunk.
    steps: usize,
    block: usize,
    chunk: usize,
    m: usize,
    packed: &'a [i32],
    tile_words: usize,
}

impl<A: Arithmetic> Product<'_, A> {
    /// The weight rows of `out`, which start at a panel's first.
    ///
    /// # Safety
    /// The CPU must have the level's features and those that `A` enables.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn panels(&self, mut out: Columns<'_>, scratch: &mut [__m512i]) {
        for block in pieces(self.steps, self.block) {
            for first in out.range().step_by(16 * A::GROUPS) {
                // SAFETY: the caller vouches for the features.
                unsafe { self.panel(first, block.clone(), &mut out, scratch) }
            }
        }
    }

    /// The panel that starts at row `first`, over the steps of `block`.
    ///
    /// # Safety
    /// As for [`panels`](Self::panels).
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn panel(
        &self,
        first: usize,
        block: Range<usize>,
        out: &mut Columns<'_>,
        scratch: &mut [__m512i],
    ) {
        let (weights, sums) = scratch.split_at_mut(A::GROUPS * self.chunk * A::WEIGHTS);
        let sums: &mut [f32] = bytemuck::cast_slice_mut(sums);
        let rows = first..out.range().end.min(first + 16 * A::GROUPS);
        for chunk in pieces(block.len(), self.chunk) {
            let chunk = block.start + chunk.start..block.start + chunk.end;
            let weights = &mut weights[..A::GROUPS * chunk.len() * A::WEIGHTS];
            // SAFETY: the caller vouches for the features.
            unsafe { self.unpack(first, chunk.clone(), weights) };
            for (t, packed) in self.packed.chunks_exact(self.tile_words).enumerate() {
                let tile = tile(t, self.m);
                let words = A::INPUTS * tile.len();
                let x = &packed[chunk.start * words..chunk.end * words];
                let sums = &mut sums[16 * A::GROUPS * tile.start..16 * A::GROUPS * tile.end];
                if chunk.start == block.start {
                    load(out, tile.clone(), rows.clone(), block.start == 0, sums);
                }
                // SAFETY: the caller vouches for the features.
                unsafe { run::<A>(tile.len(), weights, x, bytemuck::cast_slice_mut(sums)) };
                if chunk.end == block.end {
                    store(out, tile, rows.clone(), sums);
                }
            }
        }
    }

    /// Unpacks a chunk of the panel that starts at row `first`.
    ///
    /// # Safety
    /// As for [`panels`](Self::panels).
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn unpack(&self, first: usize, chunk: Range<usize>, weights: &mut [__m512i]) {
        let Source { data, stride, rows, .. } = self.source;
        for (g, group) in weights.chunks_exact_mut(chunk.len() * A::WEIGHTS).enumerate() {
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

/// Starts the sums of activation rows `tile` and weight rows `rows`: with zeros, or with what the last block of K left.
fn load(out: &mut Columns<'_>, tile: Range<usize>, rows: Range<usize>, first: bool, sums: &mut [f32]) {
    let lanes = sums.len() / tile.len();
    for (i, sums) in tile.zip(sums.chunks_exact_mut(lanes)) {
        if first {
            sums.fill(0.0);
        } else {
            out.load(i, rows.clone(), sums);
        }
    }
}

/// Writes the sums of activation rows `tile` and weight rows `rows`.
fn store(out: &mut Columns<'_>, tile: Range<usize>, rows: Range<usize>, sums: &[f32]) {
    let lanes = sums.len() / tile.len();
    for (i, sums) in tile.zip(sums.chunks_exact(lanes)) {
        out.store(i, rows.clone(), sums);
    }
}
