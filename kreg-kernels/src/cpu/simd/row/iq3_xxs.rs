//! IQ3_XXS: `w = d * (0.5 + scale) / 2 * sign * magnitude`, groups of 32.

use super::bits::{by_32, odd, signed_evenly};
use super::superblock::{Minimums, SuperBlock};
use crate::cpu::codebook::iq3_xxs::GRID;
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockIQ3_XXS, IQ3_XXS};

impl SuperBlock for IQ3_XXS {
    const CODES: Codes = Codes::Signed { max: 62 };
    const GROUP: usize = 32;

    /// `d / 2 * (0.5 + scale)` is `d / 4` times an odd number.
    const UNIT: f32 = 0.25;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockIQ3_XXS) -> [S::Bytes; 8] {
        let mut codes = [s.splat(0); 8];
        let groups = block.qs.as_chunks::<8>().0.iter().zip(block.gas.as_chunks::<4>().0);
        for (codes, (qs, signs)) in codes.iter_mut().zip(groups) {
            let mut magnitudes = [0; 8];
            for (magnitudes, i) in magnitudes.iter_mut().zip(qs) {
                *magnitudes = GRID[usize::from(*i)];
            }
            *codes = signed_evenly(s, s.load(&magnitudes), *signs);
        }
        codes
    }

    #[inline(always)]
    fn factor(block: &BlockIQ3_XXS) -> [u8; 2] {
        block.d
    }

    #[inline(always)]
    fn scales<S: Simd>(s: S, block: &BlockIQ3_XXS) -> (S::Bytes, Option<Minimums<S>>) {
        let mut scales = [0; 8];
        for (scale, group) in scales.iter_mut().zip(block.gas.as_chunks::<4>().0) {
            *scale = group[3] >> 4;
        }
        (by_32(s, odd(u64::from_le_bytes(scales))), None)
    }
}
