//! Eight 6-bit scales and eight 6-bit minimums in 12 bytes: Q4_K and Q5_K.

use super::superblock::Minimums;
use crate::cpu::simd::Simd;

/// The scales and the minimums as [`SuperBlock::scales`](super::superblock::SuperBlock::scales) has them.
///
/// Bytes 0..4 hold scales 0..4, bytes 4..8 minimums 0..4; their upper two bits, and the nibbles of bytes 8..12, make
/// scales and minimums 4..8.
#[inline(always)]
pub(super) fn unpack<S: Simd>(s: S, packed: &[u8; 12], dmin: [u8; 2]) -> (S::Bytes, Option<Minimums<S>>) {
    const SCALES: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7];
    const MINIMUMS: [u8; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15];
    let [a, b, c] =
        [0, 4, 8].map(|i| u32::from_le_bytes([packed[i], packed[i + 1], packed[i + 2], packed[i + 3]]));
    let upper = |v: u32| v >> 2 & 0x3030_3030;
    let both = s.twice(&[
        a & 0x3f3f_3f3f,
        c & 0x0f0f_0f0f | upper(a),
        b & 0x3f3f_3f3f,
        c >> 4 & 0x0f0f_0f0f | upper(b),
    ]);
    let words = s.widen(s.shuffle(both, s.twice(&MINIMUMS)));
    (s.widen(s.shuffle(both, s.twice(&SCALES))), Some(Minimums { words, factor: dmin }))
}
