//! Q2_K, 84 bytes: 16 bytes of (scale, min) nibbles for groups of 16, 64 bytes of 2-bit codes, f16 d, f16 dmin.
//! `d scale q - dmin min`.

use super::read::{bits, f16};

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    let (scale, min) = (bits(b, i / 16, 0, 4), bits(b, i / 16, 4, 4));
    f16(b, 80) * f64::from(scale) * f64::from(code(b, 16, i)) - f16(b, 82) * f64::from(min)
}

/// The 2-bit code `i` of the 64 bytes from `at`: 32 bytes hold 128 codes, the first 32 in their lowest bits.
pub(super) fn code(b: &[u8], at: usize, i: usize) -> u32 {
    bits(b, at + i / 128 * 32 + i % 32, i % 128 / 32 * 2, 2)
}
