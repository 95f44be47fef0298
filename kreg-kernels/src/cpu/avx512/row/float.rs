//! Activations in f32: what F32, F16, BF16 and APR_Q8 share.

use std::arch::x86_64::*;

use super::super::load::{load_ps, reduce};

/// 64 activations, zeros past the end of the row.
pub(super) type Acts = [[f32; 16]; 4];

/// Copies `x` to `acts`.
pub(super) fn prepare(x: &[f32], acts: &mut [Acts]) {
    let lanes = acts.as_flattened_mut().as_flattened_mut();
    lanes[..x.len()].copy_from_slice(x);
    lanes[x.len()..].fill(0.0);
}

/// The products of rows whose bytes `decode` turns into 64 weights at a time. The last ones are padded with zero bytes,
/// which are zeros in every format. Four accumulators a row, so that no multiplication waits for the one before.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
pub(super) fn product<const BYTES: usize, const S: usize>(
    rows: [&[u8]; S],
    acts: &[Acts],
    decode: impl Fn(&[u8; BYTES]) -> [__m512; 4],
) -> [f32; S] {
    let mut sums = [[_mm512_setzero_ps(); 4]; S];
    for (c, a) in acts.iter().enumerate() {
        for (sums, row) in sums.iter_mut().zip(&rows) {
            let (whole, rest) = row.as_chunks::<BYTES>();
            let weights = match whole.get(c) {
                Some(bytes) => decode(bytes),
                None => decode(&padded(rest)),
            };
            for ((sum, &w), x) in sums.iter_mut().zip(&weights).zip(a) {
                *sum = _mm512_fmadd_ps(w, load_ps(x), *sum);
            }
        }
    }
    let mut totals = [_mm512_setzero_ps(); S];
    for (total, [a, b, c, d]) in totals.iter_mut().zip(sums) {
        *total = _mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, d));
    }
    reduce(totals)
}

/// `bytes`, then zeros.
#[cold]
fn padded<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut padded = [0; N];
    padded[..bytes.len()].copy_from_slice(bytes);
    padded
}
