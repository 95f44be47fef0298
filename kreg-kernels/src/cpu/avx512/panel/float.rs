//! Float arithmetic: f32 fused multiply-add, or pairs of bf16.
//!
//! A panel is 32 weight rows, one vector per 16 rows and input (or pair of inputs): a transposed dword is one f32, two
//! f16 that become two vectors, or the bf16 pair that `vdpbf16ps` takes.

use std::arch::x86_64::*;

use half::bf16;

use super::driver::{self, Arithmetic, Source};
use super::lanes::Rows;
use crate::Workspace;

/// How a weight type becomes vectors of f32, or of bf16 pairs.
pub(crate) trait Decode: Sync {
    /// Whether a lane is a pair of bf16, multiplied with activations that are rounded to bf16.
    const PAIRS: bool = false;
    /// Inputs of a step.
    const STEP: usize;

    /// Writes step `step` of sixteen rows: vector `i` holds input `i` of the step, or inputs `2i` and `2i + 1`. Inputs past
    /// the end of a row are finite.
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
    const MANY: usize = 2048 * Self::LANE;

    unsafe fn pack(x: &[f32], cols: usize, out: &mut [i32]) {
        let width = x.len() / cols;
        let padded = cols.next_multiple_of(D::STEP);
        for (c, x) in x.chunks_exact(cols).enumerate() {
            let at = |k: usize| x.get(k).copied().unwrap_or(0.0);
            for i in 0..padded / Self::LANE {
                let bits = if D::PAIRS {
                    let [low, high] = [0, 1].map(|j| u32::from(bf16::from_f32(at(2 * i + j)).to_bits()));
                    low | high << 16
                } else {
                    at(i).to_bits()
                };
                out[i * width + c] = bits.cast_signed();
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn unpack(&self, rows: &Rows<'_>, step: usize, out: &mut [__m512i]) {
        // SAFETY: the caller vouches for the features.
        unsafe { self.0.decode(rows, step, &mut out[..Self::WEIGHTS]) }
    }

    unsafe fn tile<const MR: usize>(w: &[__m512i], x: &[i32], sums: &mut [__m512]) {
        // SAFETY: the caller vouches for the features, AVX512-BF16 included when there are pairs.
        unsafe { if D::PAIRS { tile_bf16::<MR>(w, x, sums) } else { tile_f32::<MR>(w, x, sums) } }
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
