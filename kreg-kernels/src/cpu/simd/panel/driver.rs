//! The loop nest of the product with many activation rows.
//!
//! ```text
//! pack the activations, tile by tile
//! for each panel of weight rows (threads divide them)
//!     for each chunk of K
//!         unpack the panel's weights
//!         for each tile of a few activation rows: sums += panel * tile
//! ```
//!
//! For many activation rows K is divided in blocks outermost, a block being one chunk, so that the packed activations of a
//! block stay in the last-level cache; sums rest in `y` from block to block.

use std::marker::PhantomData;
use std::ops::Range;

use crate::Workspace;
use crate::cpu::simd::{Simd, Task};
use crate::cpu::split::{self, Chunks, Columns};
use crate::cpu::team;

/// Eight lanes of 32 bits, one for each of eight weight rows.
pub(super) type Vector = [i32; 8];

/// The sums of one activation row and a panel.
pub(super) type Sums = [[f32; 8]; 2];

/// Weight rows of a panel: two vectors, which share the broadcast of an activation.
pub(super) const ROWS: usize = 16;

/// Up to this many activation rows a short chunk of K pays, so that unpacked weights stay in L1; above it
/// a long one, so that sums move less.
const FEW_ROWS: usize = 64;

/// An arithmetic on one weight matrix: how activations are packed, weights unpacked, and a tile of both multiplied.
///
/// K is divided in steps, the unit of unpacking. A row's last step may be incomplete: both sides are padded with zeros.
/// Functions are to be marked `#[inline(always)]`.
pub(crate) trait Arithmetic: Sync {
    /// Inputs of a step.
    const STEP: usize;
    /// Vectors of a step of a panel.
    const WEIGHTS: usize;
    /// Words of a step of one activation row.
    const INPUTS: usize;
    /// The widest tile, at most 6: AVX2 has 16 registers, for two sums an activation row, two of weights and a broadcast.
    const WIDTH: usize;
    /// Inputs that are unpacked at a time for few activation rows.
    const FEW: usize;
    /// The same for many.
    const MANY: usize;

    /// The weights.
    fn bytes(&self) -> &[u8];

    /// Packs a tile: `x` is `[width, cols]`, `out` is `width * INPUTS` words for each step.
    fn pack<S: Simd>(s: S, x: &[f32], cols: usize, out: &mut [i32]);

    /// Unpacks half a panel to vectors `2 i + half` of `out`, `WEIGHTS` vectors a step.
    fn unpack<S: Simd>(&self, s: S, half: &Half, out: &mut [Vector]);

    /// Adds the product of a panel `w` and a tile `x` of `MR` activation rows to `sums`.
    fn tile<S: Simd, const MR: usize>(s: S, w: &[Vector], x: &[i32], sums: &mut [Sums; MR]);
}

/// What of a panel is to be unpacked.
pub(crate) struct Half {
    /// The weight rows: past the last row of a matrix that one again.
    pub(super) rows: [usize; 8],
    /// The steps of K.
    pub(super) steps: Range<usize>,
    /// 0 or 1.
    pub(super) half: usize,
    /// Where the rows of this half start in the next panel, and how many of their bytes are as good as a step.
    next: (*const u8, usize),
}

impl Half {
    /// Fetches as much of the next panel as a step unpacks of this one. Eight short streams defeat the hardware
    /// prefetcher, but the next eight rows are one contiguous run.
    #[inline(always)]
    pub(super) fn prefetch<S: Simd>(&self, s: S, step: usize) {
        let (from, bytes) = self.next;
        for line in step * bytes / 64..(step + 1) * bytes / 64 {
            s.prefetch(from.wrapping_add(64 * line));
        }
    }
}

/// `y = W x`.
///
/// # Panics
/// When `x` is not `[M, cols]` or `y` not `[M, rows]`.
pub(crate) fn matvec<S: Simd, A: Arithmetic>(
    s: S,
    arithmetic: &A,
    (rows, cols): (usize, usize),
    x: &[f32],
    y: &mut [f32],
    ws: &mut Workspace,
) {
    assert!(x.len().is_multiple_of(cols), "x must be [M, cols]");
    let m = x.len() / cols;
    assert_eq!(Some(y.len()), m.checked_mul(rows), "y must be [M, rows]");
    if m == 0 {
        return;
    }
    let steps = cols.div_ceil(A::STEP);
    let (block, chunk) = if m <= FEW_ROWS { (steps, A::FEW) } else { (A::MANY / A::STEP, A::MANY) };
    let chunk = (chunk / A::STEP).min(steps);
    let tasks = split::tasks(rows.div_ceil(ROWS), arithmetic.bytes().len().saturating_mul(m));
    let tile_words = A::WIDTH.min(m) * steps * A::INPUTS;
    let scratch = chunk * A::WEIGHTS + 2 * m;
    let (packed, scratch) = ws.slices::<i32, Vector>(m.div_ceil(A::WIDTH) * tile_words, tasks * scratch);
    pack::<S, A>(s, x, cols, packed, tile_words);
    let product = Product { arithmetic, rows, steps, block, chunk, m, packed, tile_words };
    split::by_panels(y, m, rows, ROWS, tasks, scratch, |out, scratch| {
        s.vectorise(Share { product: &product, out, scratch });
    });
}

/// Tile `t` of `m` activation rows. Tiles have equal widths, or nearly so: there is no slow remainder.
fn tile<A: Arithmetic>(t: usize, m: usize) -> Range<usize> {
    let n = m.div_ceil(A::WIDTH);
    t * m / n..(t + 1) * m / n
}

/// `0..n` in pieces of `len`, the last of which may be shorter.
fn pieces(n: usize, len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n).step_by(len).map(move |start| start..n.min(start + len))
}

/// Packs each tile of `x`, `[M, cols]`, to `tile_words` words of `out`.
fn pack<S: Simd, A: Arithmetic>(s: S, x: &[f32], cols: usize, out: &mut [i32], tile_words: usize) {
    let m = x.len() / cols;
    let tiles = Chunks::new(out, tile_words);
    let one = |t: usize| {
        let tile = tile::<A>(t, m);
        // SAFETY: each tile is packed once.
        let out = unsafe { tiles.get(t) };
        let out = &mut out[..tile.len() * cols.div_ceil(A::STEP) * A::INPUTS];
        s.vectorise(Pack::<A>(&x[tile.start * cols..tile.end * cols], cols, out, PhantomData));
    };
    let n = m.div_ceil(A::WIDTH);
    if split::is_small(size_of_val(x)) {
        return (0..n).for_each(one);
    }
    team::for_each(n, &one);
}

/// [`Arithmetic::pack`].
struct Pack<'a, A>(&'a [f32], usize, &'a mut [i32], PhantomData<A>);

impl<A: Arithmetic> Task for Pack<'_, A> {
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        A::pack(s, self.0, self.1, self.2);
    }
}

/// A product whose activations are packed.
struct Product<'a, A> {
    arithmetic: &'a A,
    rows: usize,
    /// Steps of K, of a block and of a chunk.
    steps: usize,
    block: usize,
    chunk: usize,
    m: usize,
    packed: &'a [i32],
    tile_words: usize,
}

/// The weight rows of one thread, which start at a panel's first.
struct Share<'a, A> {
    product: &'a Product<'a, A>,
    out: Columns<'a>,
    scratch: &'a mut [Vector],
}

impl<A: Arithmetic> Task for Share<'_, A> {
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        for block in pieces(self.product.steps, self.product.block) {
            for first in self.out.range().step_by(ROWS) {
                self.panel(s, first, block.clone());
            }
        }
    }
}

impl<A: Arithmetic> Share<'_, A> {
    /// The panel that starts at row `first`, over the steps of `block`.
    #[inline(always)]
    fn panel<S: Simd>(&mut self, s: S, first: usize, block: Range<usize>) {
        let Product { arithmetic, chunk, m, packed, tile_words, .. } = *self.product;
        let (weights, sums) = self.scratch.split_at_mut(chunk * A::WEIGHTS);
        let sums: &mut [Sums] = bytemuck::cast_slice_mut(sums);
        let rows = first..self.out.range().end.min(first + ROWS);
        for chunk in pieces(block.len(), chunk) {
            let chunk = block.start + chunk.start..block.start + chunk.end;
            let weights = &mut weights[..chunk.len() * A::WEIGHTS];
            for half in 0..2 {
                let half = self.product.half(first + 8 * half, chunk.clone(), half);
                s.vectorise(Unpack { arithmetic, half, out: &mut *weights });
            }
            for (t, packed) in packed.chunks_exact(tile_words).enumerate() {
                let tile = tile::<A>(t, m);
                let words = A::INPUTS * tile.len();
                let x = &packed[chunk.start * words..chunk.end * words];
                let sums = &mut sums[tile.clone()];
                if chunk.start == block.start {
                    load(&mut self.out, tile.clone(), rows.clone(), block.start == 0, sums);
                }
                run::<S, A>(s, weights, x, sums);
                if chunk.end == block.end {
                    store(&mut self.out, tile, rows.clone(), sums);
                }
            }
        }
    }
}

impl<A: Arithmetic> Product<'_, A> {
    /// The half `half` of a panel that starts at row `first`.
    fn half(&self, first: usize, steps: Range<usize>, half: usize) -> Half {
        let bytes = self.arithmetic.bytes();
        let stride = bytes.len() / self.rows;
        Half {
            rows: std::array::from_fn(|r| (first + r).min(self.rows - 1)),
            steps,
            half,
            next: (bytes.as_ptr().wrapping_add((first + ROWS) * stride), 8 * stride / self.steps),
        }
    }
}

/// [`Arithmetic::unpack`].
struct Unpack<'a, A> {
    arithmetic: &'a A,
    half: Half,
    out: &'a mut [Vector],
}

impl<A: Arithmetic> Task for Unpack<'_, A> {
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.arithmetic.unpack(s, &self.half, self.out);
    }
}

/// [`Arithmetic::tile`] of `MR` activation rows.
struct Tile<'a, A, const MR: usize> {
    w: &'a [Vector],
    x: &'a [i32],
    sums: &'a mut [Sums; MR],
    arithmetic: PhantomData<A>,
}

impl<A: Arithmetic, const MR: usize> Task for Tile<'_, A, MR> {
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        A::tile::<S, MR>(s, self.w, self.x, self.sums);
    }
}

/// The tile of as many activation rows as there are `sums`.
fn run<S: Simd, A: Arithmetic>(s: S, w: &[Vector], x: &[i32], sums: &mut [Sums]) {
    macro_rules! widths {
        ($($width:literal)+) => {
            match sums.len() {
                $($width if $width <= A::WIDTH => {
                    let sums = sums.first_chunk_mut::<$width>().expect("as many as that");
                    s.vectorise(Tile::<A, $width> { w, x, sums, arithmetic: PhantomData });
                })+
                _ => unreachable!("tiles are at most `WIDTH` wide"),
            }
        };
    }
    widths!(1 2 3 4 5 6)
}

/// Starts the sums of activation rows `tile` and weight rows `rows`: with zeros, or with what the last block of K left.
fn load(out: &mut Columns<'_>, tile: Range<usize>, rows: Range<usize>, first: bool, sums: &mut [Sums]) {
    for (i, sums) in tile.zip(sums) {
        let sums = sums.as_flattened_mut();
        if first {
            sums.fill(0.0);
        } else {
            out.load(i, rows.clone(), sums);
        }
    }
}

/// Writes the sums of activation rows `tile` and weight rows `rows`.
fn store(out: &mut Columns<'_>, tile: Range<usize>, rows: Range<usize>, sums: &[Sums]) {
    for (i, sums) in tile.zip(sums) {
        out.store(i, rows.clone(), sums.as_flattened());
    }
}
