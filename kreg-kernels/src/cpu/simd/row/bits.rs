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
    negate(s, magnitudes, spread(s, signs))
}

/// For each seven bits of signs the bytes that [`spread`] would make of them and an eighth one, which makes the number of
/// set bits even.
static EVEN: [u64; 128] = {
    let mut t = [0; 128];
    let mut i = 0;
    while i < 128 * 8 {
        let (stored, bit) = (i as u32 / 8, i % 8);
        let set = if bit < 7 { stored >> bit } else { stored.count_ones() };
        t[i / 8] |= ((set as u64 & 1) * 0xff) << (8 * bit);
        i += 1;
    }
    t
};

/// As [`signed`], with four numbers of seven bits that each stand for eight signs.
#[inline(always)]
pub(super) fn signed_evenly<S: Simd>(s: S, magnitudes: S::Bytes, signs: [u8; 4]) -> S::Bytes {
    let stored = u32::from_le_bytes(signs);
    let minus = [0, 7, 14, 21].map(|at| EVEN[(stored >> at & 127) as usize]);
    negate(s, magnitudes, s.load(&minus))
}

/// `v` with a minus where `minus` is 0xff.
#[inline(always)]
fn negate<S: Simd>(s: S, v: S::Bytes, minus: S::Bytes) -> S::Bytes {
    s.sub(s.xor(v, minus), minus)
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
        for (stored, minus) in EVEN.iter().enumerate() {
            let bytes = minus.to_le_bytes();
            assert!(bytes.iter().all(|&b| b == 0 || b == 0xff));
            let bits = bytes.iter().rev().fold(0, |bits, b| bits << 1 | usize::from(b & 1));
            assert!(bits & 127 == stored && bits.count_ones() % 2 == 0, "{stored}: {bits:#b}");
        }
    }

    #[test]
    fn fields_are_spread() {
        assert_eq!(nibbles([0x21, 0x43, 0x65, 0x87]), 0x0807_0605_0403_0201);
        assert_eq!(pairs([0b11_10_01_00, 0b00_01_10_11]), 0x0001_0203_0302_0100);
        assert_eq!(odd(0x0f0e_0100), 0x0101_0101_1f1d_0301);
    }
}
