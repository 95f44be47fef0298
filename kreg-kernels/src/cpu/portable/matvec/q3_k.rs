//! Q3_K: `w = d * scale * q`, groups of 16, `scale` in -32..32, `q` in -4..4.

use super::decode::{f16, scaled};
use super::float;
use crate::format::{BlockQ3_K, Q3_K};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
pub fn matvec(w: Matrix<'_, Q3_K>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    float::matvec(w, x, y, float::each(decode));
}

#[inline]
fn decode(block: &BlockQ3_K, out: &mut [f32; 256]) {
    let mut q = [0; 256];
    for (h, (qs, q)) in block.qs.as_chunks::<32>().0.iter().zip(q.as_chunks_mut::<128>().0).enumerate() {
        for (j, q) in q.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            for ((q, qs), mask) in q.iter_mut().zip(qs).zip(&block.hmask) {
                *q = (qs >> (2 * j) & 3 | (mask >> (4 * h + j) & 1) << 2) as i8 - 4;
            }
        }
    }
    let d = f16(block.d);
    scaled::<16>(&q, out, |g| d * f32::from(scale(&block.scales, g)));
}

/// Scale of group `g`: low nibbles of bytes 0..8 are scales 0..8, high ones scales 8..16; byte `8 + i` has the upper
/// two bits of scales `i`, `i + 4`, `i + 8` and `i + 12`.
#[inline]
fn scale(packed: &[u8; 12], g: usize) -> i8 {
    let low = packed[g % 8] >> (4 * (g / 8)) & 15;
    let upper = packed[8 + g % 4] >> (2 * (g / 4)) & 3;
    (low | upper << 4) as i8 - 32
}
