//! IQ2_S: `w = d * (0.5 + scale) / 4 * sign * magnitude`, groups of 16.

use super::bits::{odd, signed};
use super::superblock::{Minimums, SuperBlock};
use crate::cpu::codebook::iq2_s::GRID;
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockIQ2_S, IQ2_S};

impl SuperBlock for IQ2_S {
    const CODES: Codes = Codes::Signed { max: 43 };
    const GROUP: usize = 16;

    /// `d / 4 * (0.5 + scale)` is `d / 8` times an odd number.
    const UNIT: f32 = 0.125;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockIQ2_S) -> [S::Bytes; 8] {
        let mut codes = [s.splat(0); 8];
        let groups = block.qs.as_chunks::<4>().0.iter().zip(block.signs.as_chunks::<4>().0).zip(block.qh);
        for (codes, ((qs, signs), qh)) in codes.iter_mut().zip(groups) {
            let mut magnitudes = [0; 4];
            for (j, (magnitudes, low)) in magnitudes.iter_mut().zip(qs).enumerate() {
                *magnitudes = GRID[usize::from(*low) | usize::from(qh) << (8 - 2 * j) & 0x300];
            }
            *codes = signed(s, s.load(&magnitudes), *signs);
        }
        codes
    }

    #[inline(always)]
    fn factor(block: &BlockIQ2_S) -> [u8; 2] {
        block.d
    }

    #[inline(always)]
    fn scales<S: Simd>(s: S, block: &BlockIQ2_S) -> (S::Bytes, Option<Minimums<S>>) {
        // The low nibble of byte t is the scale of the first half of weights 32 t to 32 t + 32, the high one that of the second.
        let both = u64::from_le_bytes(block.scales);
        let scales = [0, 4].map(|by| odd(both >> by & 0x0f0f_0f0f_0f0f_0f0f));
        (s.widen(s.twice(&scales)), None)
    }
}
