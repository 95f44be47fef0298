//! IQ4_XS: `w = d * (scale - 32) * value`, groups of 32.

use super::bits::{nibbles, pairs};
use super::superblock::{Minimums, SuperBlock};
use crate::cpu::codebook::iq4_nl::VALUES;
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockIQ4_XS, IQ4_XS};

impl SuperBlock for IQ4_XS {
    const CODES: Codes = Codes::Signed { max: 127 };
    const GROUP: usize = 32;
    const UP_TO: usize = 8;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockIQ4_XS) -> [S::Bytes; 8] {
        let values = s.twice(&VALUES);
        let mut codes = [values; 8];
        for (codes, qs) in codes.iter_mut().zip(block.qs.as_chunks::<16>().0) {
            *codes = s.shuffle(values, s.nibbles(qs));
        }
        codes
    }

    #[inline(always)]
    fn factor(block: &BlockIQ4_XS) -> [u8; 2] {
        block.d
    }

    #[inline(always)]
    fn scales<S: Simd>(s: S, block: &BlockIQ4_XS) -> (S::Bytes, Option<Minimums<S>>) {
        let scales = nibbles(block.scales_l) | pairs(block.scales_h) << 4;
        (s.widen(s.sub(s.twice(&[scales; 2]), s.splat(32))), None)
    }
}
