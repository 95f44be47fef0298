//! IQ3_S: `w = d * (1 + 2 * scale) * sign * magnitude`, groups of 32.

use super::bits::{by_32, nibbles, odd, signed};
use super::superblock::{Minimums, SuperBlock};
use crate::cpu::codebook::iq3_s::GRID;
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockIQ3_S, IQ3_S};

impl SuperBlock for IQ3_S {
    const CODES: Codes = Codes::Signed { max: 15 };
    const GROUP: usize = 32;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockIQ3_S) -> [S::Bytes; 8] {
        let mut codes = [s.splat(0); 8];
        let groups = block.qs.as_chunks::<8>().0.iter().zip(block.signs.as_chunks::<4>().0).zip(block.qh);
        for (codes, ((qs, signs), qh)) in codes.iter_mut().zip(groups) {
            let mut magnitudes = [0; 8];
            for (j, (magnitudes, low)) in magnitudes.iter_mut().zip(qs).enumerate() {
                *magnitudes = GRID[usize::from(*low) | usize::from(qh) << (8 - j) & 0x100];
            }
            *codes = signed(s, s.load(&magnitudes), *signs);
        }
        codes
    }

    #[inline(always)]
    fn factor(block: &BlockIQ3_S) -> [u8; 2] {
        block.d
    }

    #[inline(always)]
    fn scales<S: Simd>(s: S, block: &BlockIQ3_S) -> (S::Bytes, Option<Minimums<S>>) {
        (by_32(s, odd(nibbles(block.scales))), None)
    }
}
