//! Float arithmetic: f32 fused multiply-add, or pairs of bf16.
//!
//! A panel is 32 weight rows, one vector per 16 rows and input (or pair of inputs): a transposed dword is one f32, two
//! f16 that become two vectors, or the bf16 pair that `vdpbf16ps` takes.

use std::arch::x86_64::*;

use super::driver::{self, Arithmetic, Source};
use super::lanes::Rows;
use crate::Workspace;
use crate::cpu::avx512::load::load_ps;

/// How a weight type becomes vectors of f32, or of bf16 pairs.
pub(crate) trait Decode: Sync {
    /// Whether a lane is a pair of bf16, multiplied with activations that are rounded to bf16.
    const PAIRS: bool = false;
    /// Inputs of a step.
    const STEP: usize;
    /// Bytes of a step, at most 32; 0 when it is not read as bytes of [`Rows`].
    const BYTES: usize;

    /// Writes step `step` of sixteen rows: vector `i` holds input `i` of the step, or inputs `2i` and `2i + 1`. Bytes past
    /// the end of a row are zeros.
    ///
    /// # Safety
    /// The CPU must have the features that the implementation enables.
    unsafe fn decode(&self, rows: &Rows<'_>, step: usize, out: &mut [__m512i]);
}

/// The product with any number of activation rows, for `rows` rows of `cols` inputs, `stride` bytes each.
///
/// # Panics
/// When `x` is not `[M, cols]`, `y` not `[M, rows]`, or `data` shorter than the rows.
///
/// # Safety
/// The CPU must have the level's features, those that `D` enables, and AVX512-BF16 when it makes pairs.
pub(crate) unsafe fn float<D: Decode>(
    decode: &D,
    (data, stride): (&[u8], usize),
    (rows, cols): (usize, usize),
    x: &[f32],
    y: &mut [f32],
    ws: &mut Workspace,
) {
    let source = Source { data, stride, rows, cols };
    // SAFETY: the caller vouches for the features.
    unsafe { driver::matvec(&Float(decode), source, x, y, ws) }
}

struct Float<'d, D>(&'d D);

impl<D: Decode> Float<'_, D> {
    /// Inputs in a lane.
    const LANE: usize = if D::PAIRS { 2 } else { 1 };
}

impl<D: Decode> Arithmetic for Float<'_, D> {
    const GROUPS: usize = 2;
    const STEP: usize = D::STEP;
    const WEIGHTS: usize = D::STEP / Self::LANE;
    const INPUTS: usize = D::STEP / Self::LANE;
    const FEW: usize = 256 * Self::LANE;
    const MANY: usize = 1024 * Self::LANE;

    unsafe fn pack(x: &[f32], cols: usize, out: &mut [i32]) {
        // SAFETY: the caller vouches for the features, AVX512-BF16 included when there are pairs.
        unsafe { if D::PAIRS { pack_bf16(x, cols, out) } else { pack_f32(x, cols, out) } }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn unpack(&self, rows: &Rows<'_>, step: usize, out: &mut [__m512i]) {
        let out = &mut out[..Self::WEIGHTS];
        if !rows.has(step * D::BYTES, D::BYTES) {
            // SAFETY: the caller vouches for the features.
            return unsafe { last(self.0, rows, step, out) };
        }
        // SAFETY: the caller vouches for the features.
        unsafe { self.0.decode(rows, step, out) }
    }

    unsafe fn tile<const MR: usize>(w: &[__m512i], x: &[i32], sums: &mut [__m512]) {
        // SAFETY: the caller vouches for the features, AVX512-BF16 included when there are pairs.
        unsafe { if D::PAIRS { tile_bf16::<MR>(w, x, sums) } else { tile_f32::<MR>(w, x, sums) } }
    }
}

/// The last step of rows that end inside it.
///
/// # Safety
/// The CPU must have the features that `D` enables.
#[cold]
#[inline(never)]
unsafe fn last<D: Decode>(decode: &D, rows: &Rows<'_>, step: usize, out: &mut [__m512i]) {
    let padded = rows.padded(step * D::BYTES);
    let rows = Rows::new(padded.as_flattened(), 32, 16, 0);
    // SAFETY: the caller vouches for the features.
    unsafe { decode.decode(&rows, 0, out) }
}

/// Packs a tile `x`, `[width, cols]`, to words of one f32, columns innermost, zeros past the last input.
fn pack_f32(x: &[f32], cols: usize, out: &mut [i32]) {
    /// Inputs at a time, so that what they are scattered to stays in L1.
    const RUN: usize = 256;
    let width = x.len() / cols;
    for (run, out) in out.chunks_mut(RUN * width).enumerate() {
        for (c, x) in x.chunks_exact(cols).enumerate() {
            let x = &x[(RUN * run).min(cols)..(RUN * (run + 1)).min(cols)];
            for (word, x) in out.chunks_exact_mut(width).zip(x) {
                word[c] = x.to_bits().cast_signed();
            }
        }
    }
    out[cols * width..].fill(0);
}

/// Packs a tile `x`, `[width, cols]`, to words of two bf16, halves rounded to even.
#[target_feature(enable = "avx512f,avx512bf16")]
fn pack_bf16(x: &[f32], cols: usize, out: &mut [i32]) {
    let width = x.len() / cols;
    for (c, x) in x.chunks_exact(cols).enumerate() {
        for (x, out) in x.chunks(16).zip(out.chunks_mut(8 * width)) {
            let mut line = [0.0; 16];
            line[..x.len()].copy_from_slice(x);
            // SAFETY: both types are 32 bytes of plain data.
            let words: [i32; 8] = unsafe { std::mem::transmute(_mm512_cvtneps_pbh(load_ps(&line))) };
            for (out, word) in out.chunks_exact_mut(width).zip(words) {
                out[c] = word;
            }
        }
    }
}

/// The microkernel: two groups of sixteen weight rows by `MR` columns, two accumulators for each broadcast.
macro_rules! tile {
    ($name:ident, $features:literal, $mul_add:expr) => {
        #[target_feature(enable = $features)]
        fn $name<const MR: usize>(w: &[__m512i], x: &[i32], sums: &mut [__m512]) {
            let sums = sums.as_chunks_mut::<2>().0.first_chunk_mut::<MR>().expect("two sums for each column");
            let (w0, w1) = w.split_at(w.len() / 2);
            let mut f = *sums;
            for ((w0, w1), x) in w0.iter().zip(w1).zip(x.as_chunks::<MR>().0) {
                for c in 0..MR {
                    let x = _mm512_set1_epi32(x[c]);
                    f[c] = [$mul_add(*w0, x, f[c][0]), $mul_add(*w1, x, f[c][1])];
                }
            }
            *sums = f;
        }
    };
}

tile!(tile_f32, "avx512f", |w, x, f| _mm512_fmadd_ps(_mm512_castsi512_ps(w), _mm512_castsi512_ps(x), f));
tile!(tile_bf16, "avx512f,avx512bf16", |w, x, f| _mm512_dpbf16_ps(f, pairs(w), pairs(x)));

/// The same bits as pairs of bf16.
#[inline(always)]
fn pairs(v: __m512i) -> __m512bh {
    // SAFETY: both types are 64 bytes of plain data.
    unsafe { std::mem::transmute(v) }
}
