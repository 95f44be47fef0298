//! The product with one activation row (M = 1), at the speed of the memory, or with a few.
//!
//! The activations are laid out once per call to match the raw bytes of a weight type: zeros under block headers,
//! planes in the order in which the bits come out, offsets and minimums as the value that an integer accumulator
//! starts from. Then the inner loop has no shuffles but those that the bits themselves need, and its weights are
//! read once, in order, never past the end of their row.

use bytemuck::Pod;

use crate::cpu::split::{self, Columns};
use crate::format::Format;
use crate::{Matrix, Workspace};

mod apr_q4;
mod apr_q8;
mod bf16;
mod eights;
mod f16;
mod f32;
mod float;
mod gathered;
mod iq2_s;
mod iq2_xxs;
mod iq3_s;
mod iq3_xxs;
mod iq4_nl;
mod iq4_xs;
mod nibbles;
mod planes;
mod q2_k;
mod q3_k;
mod q4_0;
mod q4_1;
mod q4_k;
mod q5_0;
mod q5_1;
mod q5_k;
mod q6_k;
mod q8_0;
mod quads;
mod six_bit;

/// Declares a cache-line aligned record of prepared activations.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $ty:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(C, align(64))]
        pub(crate) struct $name { $($(#[$fdoc])* pub(super) $field: $ty),+ }

        const _: () = assert!(size_of::<$name>() == 0 $(+ size_of::<$ty>())+);
        // SAFETY: integers and floats without padding (the size is asserted): every bit pattern is valid.
        unsafe impl bytemuck::Zeroable for $name {}
        // SAFETY: as above; `Copy`, `'static`, no interior mutability, no pointers.
        unsafe impl bytemuck::Pod for $name {}
    };
}
use record;

/// What a weight type adds to the product with one activation row.
pub(crate) trait Row: Format {
    /// Prepared activations for [`Self::CHUNK`] weights.
    type Acts: Pod + Sync;

    /// Weights per [`Self::Acts`].
    const CHUNK: usize;

    /// The activation rows up to which this is faster than a panel, as measured.
    const UP_TO: usize = 2;

    /// The activation rows that [`Self::share`] takes at most.
    const TOGETHER: usize = 1;

    /// How many [`Self::Acts`] a row of `cols` weights needs.
    fn acts(cols: usize) -> usize {
        cols.div_ceil(Self::CHUNK)
    }

    /// Writes the prepared form of `x`, whose length is that of a row, to `acts`.
    ///
    /// # Safety
    /// The CPU must have the features that the implementation enables.
    unsafe fn prepare(x: &[f32], acts: &mut [Self::Acts]);

    /// The weight rows of `out`, for the activation rows that it covers, [`Self::TOGETHER`] at most: [`share`] or
    /// [`float::share`], compiled with the features of what it calls so that this becomes part of its loop.
    ///
    /// # Safety
    /// The CPU must have the features that the implementation enables.
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Self::Acts], out: Columns<'_>);
}

/// A type that multiplies weight rows with one activation row at a time.
pub(crate) trait Single: Row {
    /// The products of the weight rows `rows` with the prepared activations. A row's value does not depend on which
    /// others it is computed with.
    ///
    /// # Safety
    /// The CPU must have the features that the implementation enables.
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Self::Acts])
    -> [f32; S];
}

/// Whether this product is best done here: it has an activation row, and no more than [`Row::UP_TO`].
pub(crate) fn takes<F: Row>(w: Matrix<'_, F>, x: &[::core::primitive::f32]) -> bool {
    (1..=F::UP_TO).contains(&(x.len() / w.cols()))
}

/// `y = W x`, [`Row::TOGETHER`] activation rows at a time.
///
/// # Panics
/// When `x` is not `[M, cols]` or `y` not `[M, rows]`.
///
/// # Safety
/// The CPU must have the features that `F`'s [`Row`] implementation enables.
pub(crate) unsafe fn matvec<F: Row>(
    w: Matrix<'_, F>,
    x: &[::core::primitive::f32],
    y: &mut [::core::primitive::f32],
    ws: &mut Workspace,
) {
    assert!(x.len().is_multiple_of(w.cols()), "x must be [M, cols]");
    let (m, n) = (x.len() / w.cols(), F::acts(w.cols()));
    let acts = ws.slice::<F::Acts>(m * n);
    for (x, acts) in x.chunks_exact(w.cols()).zip(acts.chunks_exact_mut(n)) {
        // SAFETY: the caller vouches for the features.
        unsafe { F::prepare(x, acts) };
    }
    let acts = &*acts;
    let tiles = m.div_ceil(F::TOGETHER);
    split::by_rows(y, m, w.rows(), w.bytes().len(), |mut out| {
        for rows in split::blocks(out.range(), tiles, w.bytes().len() / w.rows()) {
            for t in 0..tiles {
                // Of equal widths, or nearly so: there is no slow remainder.
                let tile = t * m / tiles..(t + 1) * m / tiles;
                let acts = &acts[tile.start * n..tile.end * n];
                let out = out.activations(tile, rows.clone());
                // SAFETY: the caller vouches for the features; every thread runs on the same kind of CPU.
                unsafe { F::share(w, acts, out) }
            }
        }
    });
}

/// The blocks of rows `rows`.
// Here, not in the kernels: a closure made in a function with more features than the `map` that calls it would stay a
// call.
#[inline]
fn blocks<F: Format, const S: usize>(w: Matrix<'_, F>, rows: [usize; S]) -> [&[F::Block]; S] {
    rows.map(|r| w.row(r))
}

/// The bytes of rows `rows`.
#[inline]
fn bytes<F: Format, const S: usize>(w: Matrix<'_, F>, rows: [usize; S]) -> [&[u8]; S] {
    rows.map(|r| bytemuck::cast_slice(w.row(r)))
}

/// How far apart rows that are multiplied at once shall lie. Streams only a few pages apart confuse the hardware
/// prefetcher: read from memory on a Zen 4, four streams 8 KiB apart are as fast as one, and four from 32 KiB on faster.
const FAR_BYTES: usize = 32 * 1024;

/// `part` where rows that many apart lie [`FAR_BYTES`] apart, else 0.
fn far<F: Format>(w: Matrix<'_, F>, part: usize) -> usize {
    if w.bytes().len() / w.rows() * part >= FAR_BYTES { part } else { 0 }
}

/// The rows of `out`, `S` at a time, one from each of `S` equal parts of the range, when these lie far apart.
///
/// The prefetcher stops at every page of 4 KiB; more streams hide its stalls, until their accumulators no longer fit the
/// registers. Types that the arithmetic bounds take one row at a time.
///
/// # Safety
/// The CPU must have the features that `F`'s [`Row`] implementation enables.
#[inline(always)]
unsafe fn share<F: Single, const S: usize>(w: Matrix<'_, F>, acts: &[F::Acts], mut out: Columns<'_>) {
    let range = out.range();
    let part = range.len() / S;
    let far = far(w, part);
    for first in range.start..range.start + far {
        let mut rows = [first; S];
        for (i, row) in rows.iter_mut().enumerate() {
            *row += i * far;
        }
        // SAFETY: the caller vouches for the features.
        let sums = unsafe { F::product(w, rows, acts) };
        for (row, sum) in rows.into_iter().zip(sums) {
            out.set(0, row, sum);
        }
    }
    for row in range.start + S * far..range.end {
        // SAFETY: the caller vouches for the features.
        let [sum] = unsafe { F::product(w, [row], acts) };
        out.set(0, row, sum);
    }
}
