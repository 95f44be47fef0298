//! Q3_K: `w = d * scale * (q - 4)`, groups of 16, `scale` in -32..32.

use super::bits::by_16;
use super::superblock::{Minimums, SuperBlock};
use crate::cpu::simd::{Codes, Simd};
use crate::format::{BlockQ3_K, Q3_K};

/// For each four third bits those of weights 0 and 2, and of 1 and 3, where they belong in a byte of two nibbles.
const THIRD: [[u8; 16]; 2] = {
    let mut t = [[0; 16]; 2];
    let mut i = 0;
    while i < 32 {
        let (bits, first) = (i as u8 / 2, i % 2);
        t[first][i / 2] = (bits >> first & 1) << 2 | (bits >> (first + 2) & 1) << 6;
        i += 1;
    }
    t
};

impl SuperBlock for Q3_K {
    const CODES: Codes = Codes::Offset { max: 7, offset: 4 };
    const GROUP: usize = 16;

    #[inline(always)]
    fn unpack<S: Simd>(s: S, block: &BlockQ3_K) -> [S::Bytes; 8] {
        let (even, odd) = (s.twice(&THIRD[0]), s.twice(&THIRD[1]));
        let hmask = s.load(&block.hmask);
        let mut codes = [s.splat(0); 8];
        for (h, (codes, qs)) in
            codes.as_chunks_mut::<4>().0.iter_mut().zip(block.qs.as_chunks::<32>().0).enumerate()
        {
            let (qs, third) = (s.load(qs), s.shift(hmask, 4 * h as i32, 15));
            // Weights 0 and 2 of the four that share a byte, and 1 and 3, a nibble each.
            let pairs = [
                s.or(s.and(qs, s.splat(0x33)), s.shuffle(even, third)),
                s.or(s.shift(qs, 2, 0x33), s.shuffle(odd, third)),
            ];
            for (j, codes) in codes.iter_mut().enumerate() {
                *codes = s.shift(pairs[j % 2], 4 * (j / 2) as i32, 7);
            }
        }
        codes
    }

    #[inline(always)]
    fn factor(block: &BlockQ3_K) -> [u8; 2] {
        block.d
    }

    #[inline(always)]
    fn scales<S: Simd>(s: S, block: &BlockQ3_K) -> (S::Bytes, Option<Minimums<S>>) {
        // Low nibbles of bytes 0..8 are scales 0..8, high ones scales 8..16; byte 8 + i has the upper two bits of scales
        // i, i + 4, i + 8 and i + 12.
        let [low @ .., a, b, c, d] = block.scales;
        let low = u64::from_le_bytes(low);
        let upper = u64::from(u32::from_le_bytes([a, b, c, d]));
        let upper = upper | upper >> 2 << 32;
        let scales =
            [0, 4].map(|by| low >> by & 0x0f0f_0f0f_0f0f_0f0f | (upper >> by & 0x0303_0303_0303_0303) << 4);
        (by_16(s, s.sub(s.twice(&scales), s.splat(32))), None)
    }
}
