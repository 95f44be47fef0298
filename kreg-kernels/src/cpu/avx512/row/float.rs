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

/// The products of rows of which `decode(row, c)` yields weights `64 c` to `64 c + 64`, zeros past the end. Four
/// accumulators a row, so that no multiplication waits for the one before.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
pub(super) fn product<const S: usize>(
    rows: [&[u8]; S],
    acts: &[Acts],
    decode: impl Fn(&[u8], usize) -> [__m512; 4],
) -> [f32; S] {
    let mut sums = [[_mm512_setzero_ps(); 4]; S];
    for (c, a) in acts.iter().enumerate() {
        for (sums, row) in sums.iter_mut().zip(&rows) {
            for ((sum, &w), x) in sums.iter_mut().zip(&decode(row, c)).zip(a) {
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
