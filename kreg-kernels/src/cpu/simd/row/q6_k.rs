//! Q6_K: `w = d * scale * (q - 32)`, groups of 16.

use super::bits::by_16;
use super::superblock::{Minimums, SuperBlock};
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockQ6_K, Q6_K};

impl SuperBlock for Q6_K {
    const CODES: Codes = Codes::Offset { max: 63, offset: 32 };
    const GROUP: usize = 16;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockQ6_K) -> [S::Bytes; 8] {
        let mut codes = [s.splat(0); 8];
        let halves = block.ql.as_chunks::<64>().0.iter().zip(block.qh.as_chunks::<32>().0);
        for ((ql, qh), codes) in halves.zip(codes.as_chunks_mut::<4>().0) {
            let (ql, qh) = (ql.as_chunks::<32>().0, s.load(qh));
            for (j, codes) in codes.iter_mut().enumerate() {
                let low = s.shift(s.load(&ql[j % 2]), 4 * (j / 2) as i32, 15);
                *codes = s.or(low, s.shift(qh, 2 * j as i32 - 4, 48));
            }
        }
        codes
    }

    #[inline(always)]
    fn factor(block: &BlockQ6_K) -> [u8; 2] {
        block.d
    }

    #[inline(always)]
    fn scales<S: Simd>(s: S, block: &BlockQ6_K) -> (S::Bytes, Option<Minimums<S>>) {
        (by_16(s, s.twice(&block.scales)), None)
    }
}
