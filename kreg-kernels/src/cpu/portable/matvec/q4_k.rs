//! Q4_K: `w = d * scale * q - dmin * minimum`, activations in 8 bits with a scale per 256.

use super::decode::{f16, scales_and_minimums};
use super::integer::{self, Integer};
use crate::format::{BlockQ4_K, Q4_K};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with `x` quantised to Q8_K.
pub fn matvec(w: Matrix<'_, Q4_K>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    integer::matvec(w, x, y, ws);
}

/// A block with its 6-bit scales multiplied in: at most 63 * 15, so i16 holds them.
#[derive(Debug)]
pub(super) struct Unpacked {
    d: f32,
    scaled: [i16; 256],
    dmin: f32,
    minimums: [i16; 8],
}

impl Integer for Q4_K {
    type Unpacked = Unpacked;
    const SUMS: usize = 8;

    #[inline]
    fn unpack(block: &BlockQ4_K) -> Unpacked {
        let (scales, minimums) = scales_and_minimums(&block.scales);
        let mut scaled = [0; 256];
        let chunks = scaled.as_chunks_mut::<64>().0.iter_mut();
        for ((out, qs), s) in chunks.zip(block.qs.as_chunks::<32>().0).zip(scales.as_chunks::<2>().0) {
            for i in 0..32 {
                out[i] = i16::from(s[0]) * i16::from(qs[i] & 15);
                out[32 + i] = i16::from(s[1]) * i16::from(qs[i] >> 4);
            }
        }
        Unpacked { d: f16(block.d), scaled, dmin: f16(block.dmin), minimums: minimums.map(i16::from) }
    }

    /// The two terms nearly cancel where weights are near zero, so their difference is taken in f64, where both are
    /// exact; the result errs by one rounding.
    #[inline]
    fn product(w: &Unpacked, x: &[i16]) -> f32 {
        let (codes, sums) = x.split_at(256);
        let scaled = f64::from(w.d) * f64::from(integer::dot(&w.scaled, codes));
        let minimums = f64::from(w.dmin) * f64::from(integer::dot(&w.minimums, sums));
        (scaled - minimums) as f32
    }
}
