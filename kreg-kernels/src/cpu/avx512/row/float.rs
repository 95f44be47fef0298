//! Weights that become a register of floats, or of pairs of bf16, at a time: what F32, F16, BF16 and APR_Q8 share.
//!
//! Several activation rows are multiplied together: memory brings each weight once, a weight register meets all of them,
//! and an activation register meets four weight rows. One accumulator an output: with four weight rows no multiplication waits
//! for the one before.

use std::arch::x86_64::*;

use bytemuck::Pod;

use super::super::load::{load_ps, reduce};
use super::{Row, far};
use crate::Matrix;
use crate::cpu::split::Columns;

/// Activation rows that are multiplied together: with three weight rows, 24 accumulators, 3 weight registers and an
/// activation fit the 32 registers.
pub(super) const TOGETHER: usize = 8;

/// A type whose rows are lines of bytes, each [`Row::CHUNK`] weights, that become a register each.
pub(super) trait Lanes: Row {
    /// The bytes of a register's weights.
    type Line: Pod;

    /// How many bytes ahead of a line to prefetch where there are several activation rows, as measured; 0 for not at all.
    /// The more there is to compute with each line, the fewer lines the CPU sees ahead on its own.
    const AHEAD: usize;

    /// The bytes of row `r`.
    fn stream(w: Matrix<'_, Self>, r: usize) -> &[u8];

    /// A register of weights.
    ///
    /// # Safety
    /// The CPU must have the features that the implementation enables.
    unsafe fn weights(line: &Self::Line) -> __m512i;

    /// The products of `weights` and `x` added to `sum`, lane by lane.
    ///
    /// # Safety
    /// As for [`weights`](Self::weights).
    unsafe fn add(weights: __m512i, x: &Self::Acts, sum: __m512) -> __m512;

    /// The output whose sum is `total`.
    fn finish(_: Matrix<'_, Self>, total: f32) -> f32 {
        total
    }
}

/// How many lines of `chunk` activations lie from one activation row to the next: some more than are used. Rows that are a
/// power of two apart would fall on the same few lines of L1 and drive each other out.
pub(super) fn acts(cols: usize, chunk: usize) -> usize {
    cols.div_ceil(chunk) + 9
}

/// Copies `x` to `acts`, zeros past its end.
pub(super) fn prepare(x: &[f32], acts: &mut [[f32; 16]]) {
    let lanes = acts.as_flattened_mut();
    lanes[..x.len()].copy_from_slice(x);
    lanes[x.len()..].fill(0.0);
}

/// `sum + weights * x` in f32.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn multiply_add(weights: __m512i, x: &[f32; 16], sum: __m512) -> __m512 {
    _mm512_fmadd_ps(_mm512_castsi512_ps(weights), load_ps(x), sum)
}

/// The weight rows of `out`, for the activation rows that it covers, [`TOGETHER`] at most.
///
/// # Safety
/// The CPU must have the level's features and those that `F`'s implementations enable.
#[inline(always)]
pub(super) unsafe fn share<F: Lanes>(w: Matrix<'_, F>, acts: &[F::Acts], out: Columns<'_>) {
    // SAFETY: the caller vouches for the features.
    unsafe {
        match out.width() {
            1 => each::<F, 4, 1>(w, acts, out),
            2 => each::<F, 4, 2>(w, acts, out),
            3 => each::<F, 4, 3>(w, acts, out),
            4 => each::<F, 4, 4>(w, acts, out),
            5 => each::<F, 4, 5>(w, acts, out),
            6 => each::<F, 4, 6>(w, acts, out),
            7 => each::<F, 3, 7>(w, acts, out),
            TOGETHER => each::<F, 3, TOGETHER>(w, acts, out),
            more => unreachable!("{more} activation rows together"),
        }
    }
}

/// [`share`] for `A` activation rows, `S` weight rows at a time: far apart where they are enough for that, next to each
/// other where they are few, and then in some cache.
///
/// # Safety
/// As for [`share`].
#[inline(always)]
unsafe fn each<F: Lanes, const S: usize, const A: usize>(
    w: Matrix<'_, F>,
    acts: &[F::Acts],
    mut out: Columns<'_>,
) {
    let range = out.range();
    let groups = range.len() / S;
    let (apart, step) = match far(w, groups) {
        0 => (1, S),
        far => (far, 1),
    };
    for group in 0..groups {
        let mut rows = [range.start + group * step; S];
        for (i, row) in rows.iter_mut().enumerate() {
            *row += i * apart;
        }
        // SAFETY: the caller vouches for the features.
        unsafe { product::<F, S, A>(w, rows, acts, &mut out) }
    }
    for row in range.start + S * groups..range.end {
        // SAFETY: the caller vouches for the features.
        unsafe { product::<F, 1, A>(w, [row], acts, &mut out) }
    }
}

/// The products of the weight rows `rows` with `A` activation rows. An output is the same for any `S` and `A`.
///
/// # Safety
/// As for [`share`].
#[inline(always)]
unsafe fn product<F: Lanes, const S: usize, const A: usize>(
    w: Matrix<'_, F>,
    rows: [usize; S],
    acts: &[F::Acts],
    out: &mut Columns<'_>,
) {
    let (whole, n) = (w.cols() / F::CHUNK, F::acts(w.cols()));
    let mut x: [&[F::Acts]; A] = [&[]; A];
    for (a, x) in x.iter_mut().enumerate() {
        *x = &acts[a * n..][..whole];
    }
    let mut streams: [&[F::Line]; S] = [&[]; S];
    for (stream, row) in streams.iter_mut().zip(rows) {
        let bytes = &F::stream(w, row)[..whole * size_of::<F::Line>()];
        *stream = &bytemuck::cast_slice(bytes)[..whole];
    }
    // SAFETY: the caller vouches for the features.
    let mut sums = [[unsafe { _mm512_setzero_ps() }; A]; S];
    for l in 0..whole {
        if A > 1 && F::AHEAD > 0 {
            for stream in &streams {
                let ahead = (&raw const stream[l]).cast::<i8>().wrapping_add(F::AHEAD);
                // SAFETY: a prefetch reads nothing and takes any address.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(ahead) };
            }
        }
        // SAFETY: the caller vouches for the features.
        let mut weights = [unsafe { _mm512_setzero_si512() }; S];
        for (weights, stream) in weights.iter_mut().zip(&streams) {
            // SAFETY: as above.
            *weights = unsafe { F::weights(&stream[l]) };
        }
        for a in 0..A {
            for s in 0..S {
                // SAFETY: as above.
                sums[s][a] = unsafe { F::add(weights[s], &x[a][l], sums[s][a]) };
            }
        }
    }
    if !w.cols().is_multiple_of(F::CHUNK) {
        for (sums, row) in sums.iter_mut().zip(rows) {
            let line = padded::<F::Line>(&F::stream(w, row)[whole * size_of::<F::Line>()..]);
            for (a, sum) in sums.iter_mut().enumerate() {
                // SAFETY: the caller vouches for the features.
                *sum = unsafe { F::add(F::weights(&line), &acts[a * n + whole], *sum) };
            }
        }
    }
    for (sums, row) in sums.into_iter().zip(rows) {
        // SAFETY: the caller vouches for the features.
        for (a, total) in unsafe { reduce(sums) }.into_iter().enumerate() {
            out.set(a, row, F::finish(w, total));
        }
    }
}

/// `bytes`, then zeros, which are weights of zero in every format.
#[cold]
fn padded<T: Pod>(bytes: &[u8]) -> T {
    let mut padded = T::zeroed();
    bytemuck::bytes_of_mut(&mut padded)[..bytes.len()].copy_from_slice(bytes);
    padded
}
