//! Steps that several types share: bit fields spread over bytes, signs.

use crate::cpu::simd::Simd;

/// Byte `i` of a register is in the byte of a 32-bit number that holds bit `i`.
const BYTE: [u8; 32] = {
    let mut t = [0; 32];
    let mut i = 0;
    while i < 32 {
        t[i] = i as u8 / 8;
        i += 1;
    }
    t
};

/// That bit.
const BIT: [u8; 32] = {
    let mut t = [0; 32];
    let mut i = 0;
    while i < 32 {
        t[i] = 1 << (i % 8);
        i += 1;
    }
    t
};

/// Byte `i` is 0xff where bit `i` is set, else 0.
#[inline(always)]
pub(super) fn spread<S: Simd>(s: S, bits: [u8; 4]) -> S::Bytes {
    let bit = s.load(&BIT);
    s.equal(s.and(s.shuffle(s.twice(&[bits; 4]), s.load(&BYTE)), bit), bit)
}

/// `magnitudes` with a minus where a bit of `signs` is set.
#[inline(always)]
pub(super) fn signed<S: Simd>(s: S, magnitudes: S::Bytes, signs: [u8; 4]) -> S::Bytes {
    let minus = spread(s, signs);
    s.sub(s.xor(magnitudes, minus), minus)
}

/// The four bytes of signs that four numbers of seven bits stand for: the eighth makes the number of set bits even.
#[inline(always)]
pub(super) fn even_signs(stored: u32) -> [u8; 4] {
    const SEVEN: u32 = 0x7f;
    let mut bytes = stored & SEVEN;
    bytes |= stored << 1 & SEVEN << 8;
    bytes |= stored << 2 & SEVEN << 16;
    bytes |= stored << 3 & SEVEN << 24;
    // Bit 0 of each byte is to be the parity of the byte; what comes in from the next one stays above it.
    let mut parity = bytes ^ bytes >> 4;
    parity ^= parity >> 2;
    parity ^= parity >> 1;
    (bytes | (parity & 0x0101_0101) << 7).to_le_bytes()
}

/// Eight nibbles as eight bytes.
#[inline(always)]
pub(super) fn nibbles(packed: [u8; 4]) -> u64 {
    let mut v = u64::from(u32::from_le_bytes(packed));
    v = (v | v << 16) & 0x0000_ffff_0000_ffff;
    v = (v | v << 8) & 0x00ff_00ff_00ff_00ff;
    (v | v << 4) & 0x0f0f_0f0f_0f0f_0f0f
}

/// Eight pairs of bits as eight bytes.
#[inline(always)]
pub(super) fn pairs(packed: [u8; 2]) -> u64 {
    let mut v = u64::from(u16::from_le_bytes(packed));
    v = (v | v << 24) & 0x0000_00ff_0000_00ff;
    v = (v | v << 12) & 0x000f_000f_000f_000f;
    (v | v << 6) & 0x0303_0303_0303_0303
}

/// `1 + 2 v` for eight bytes below 128.
#[inline(always)]
pub(super) fn odd(v: u64) -> u64 {
    v << 1 | 0x0101_0101_0101_0101
}

/// For each of sixteen groups of 16 weights its scale: those of even groups, then those of odd ones.
#[inline(always)]
pub(super) fn by_16<S: Simd>(s: S, scales: S::Bytes) -> S::Bytes {
    const EVEN_ODD: [u8; 16] = [0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15];
    s.widen(s.shuffle(scales, s.twice(&EVEN_ODD)))
}

/// For each of eight groups of 32 weights its scale, for both its halves.
#[inline(always)]
pub(super) fn by_32<S: Simd>(s: S, scales: u64) -> S::Bytes {
    s.widen(s.twice(&[scales; 2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_even() {
        for n in 0..128u32 {
            let others = [5, 127, 64];
            let stored = others[0] | n << 7 | others[1] << 14 | others[2] << 21 | 0xf << 28;
            let signs = even_signs(stored);
            assert_eq!(signs.map(|b| u32::from(b & 127)), [others[0], n, others[1], others[2]]);
            assert!(signs.iter().all(|b| b.count_ones() % 2 == 0), "{n}");
        }
    }

    #[test]
    fn fields_are_spread() {
        assert_eq!(nibbles([0x21, 0x43, 0x65, 0x87]), 0x0807_0605_0403_0201);
        assert_eq!(pairs([0b11_10_01_00, 0b00_01_10_11]), 0x0001_0203_0302_0100);
        assert_eq!(odd(0x0f0e_0100), 0x0101_0101_1f1d_0301);
    }
}
