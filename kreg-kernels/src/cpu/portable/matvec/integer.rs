//! The product of the types whose activations are quantised to 8 bits: unpack a block to i16, then take one integer
//! dot product per activation row.
//!
//! i16 because every x86-64 multiplies and adds pairs of them in one instruction. Sums are i32 and exact: the
//! largest, of Q4_K, is 256 * 63 * 15 * 127 < 2^25. Each output adds its blocks in order, in f32.

use crate::cpu::portable::quantise::quantise;
use crate::cpu::split::{self, Columns};
use crate::format::Format;
use crate::matrix::Matrix;
use crate::workspace::Workspace;

/// Activation rows that share one unpacked block.
const TILE: usize = 16;

/// A format whose blocks are multiplied with one block of quantised activations each.
pub(super) trait Integer: Format {
    /// A block's weights as integers, and what turns them into numbers.
    type Unpacked;
    /// Sums of activations that follow a block's activations, one per `ELEMS / SUMS` of them.
    const SUMS: usize;

    /// Unpacks `block`.
    fn unpack(block: &Self::Block) -> Self::Unpacked;

    /// The product with the `ELEMS` activations and `SUMS` sums in `x`, not yet times the scale of `x`.
    fn product(w: &Self::Unpacked, x: &[i16]) -> f32;
}

/// `y = W x` with `x` quantised once, a scale per `F::ELEMS`.
pub(super) fn matvec<F: Integer>(w: Matrix<'_, F>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    let m = super::rows_of(x, w.cols());
    let blocks = x.len() / F::ELEMS;
    let (codes, scales) = ws.slices(blocks * (F::ELEMS + F::SUMS), blocks);
    let records = codes.chunks_exact_mut(F::ELEMS + F::SUMS);
    for ((x, record), scale) in x.chunks_exact(F::ELEMS).zip(records).zip(&mut *scales) {
        let (codes, sums) = record.split_at_mut(F::ELEMS);
        *scale = quantise(x, codes);
        for (i, sum) in sums.iter_mut().enumerate() {
            // At most 256 * 127: fits.
            *sum = codes[i * F::ELEMS / F::SUMS..(i + 1) * F::ELEMS / F::SUMS].iter().sum();
        }
    }
    let (codes, scales) = (&*codes, &*scales);
    split::by_rows(y, m, w.rows(), w.bytes().len().saturating_mul(m), |out| match m {
        0 => (),
        1 => rows::<F, 1>(&w, codes, scales, out),
        _ => rows::<F, TILE>(&w, codes, scales, out),
    });
}

/// The outputs of one thread, for up to `T` activation rows at a time.
fn rows<F: Integer, const T: usize>(w: &Matrix<'_, F>, codes: &[i16], scales: &[f32], mut out: Columns<'_>) {
    let n = w.cols() / F::ELEMS;
    let record = F::ELEMS + F::SUMS;
    for r in out.range() {
        for (tile, (codes, scales)) in
            codes.chunks((T * n).saturating_mul(record)).zip(scales.chunks(T * n)).enumerate()
        {
            let mut sums = [0.0; T];
            for (b, block) in w.row(r).iter().enumerate() {
                let block = F::unpack(block);
                let rows = codes.chunks_exact(n * record).zip(scales.chunks_exact(n));
                for (sum, (codes, scales)) in sums.iter_mut().zip(rows) {
                    *sum += scales[b] * F::product(&block, &codes[b * record..(b + 1) * record]);
                }
            }
            for (i, sum) in sums.into_iter().take(scales.len() / n).enumerate() {
                out.set(tile * T + i, r, sum);
            }
        }
    }
}

/// The dot product of as many numbers as both slices have.
#[inline]
pub(super) fn dot(w: &[i16], x: &[i16]) -> i32 {
    w.iter().zip(x).map(|(&w, &x)| i32::from(w) * i32::from(x)).sum()
}
