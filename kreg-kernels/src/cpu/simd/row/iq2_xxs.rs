//! IQ2_XXS: `w = d * (0.5 + scale) / 4 * sign * magnitude`, groups of 32.

use super::bits::{by_32, odd, signed_evenly};
use super::superblock::{Minimums, SuperBlock};
use crate::cpu::codebook::iq2_xxs::GRID;
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockIQ2_XXS, IQ2_XXS};

impl SuperBlock for IQ2_XXS {
    const CODES: Codes = Codes::Signed { max: 43 };
    const GROUP: usize = 32;

    /// `d / 4 * (0.5 + scale)` is `d / 8` times an odd number.
    const UNIT: f32 = 0.125;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockIQ2_XXS) -> [S::Bytes; 8] {
        let mut codes = [s.splat(0); 8];
        for (codes, group) in codes.iter_mut().zip(block.qs.as_chunks::<8>().0) {
            let (indices, signs) = (&group[..4], &group[4..]);
            let mut magnitudes = [0; 4];
            for (magnitudes, i) in magnitudes.iter_mut().zip(indices) {
                *magnitudes = GRID[usize::from(*i)];
            }
            *codes = signed_evenly(s, s.load(&magnitudes), [signs[0], signs[1], signs[2], signs[3]]);
        }
        codes
    }

    #[inline(always)]
    fn factor(block: &BlockIQ2_XXS) -> [u8; 2] {
        block.d
    }

    #[inline(always)]
    fn scales<S: Simd>(s: S, block: &BlockIQ2_XXS) -> (S::Bytes, Option<Minimums<S>>) {
        let mut scales = [0; 8];
        for (scale, group) in scales.iter_mut().zip(block.qs.as_chunks::<8>().0) {
            *scale = group[7] >> 4;
        }
        (by_32(s, odd(u64::from_le_bytes(scales))), None)
    }
}
