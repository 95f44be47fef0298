//! Q4_K, 144 bytes: f16 d, f16 dmin, 12 bytes of 6-bit (scale, min) for groups of 32, 128 bytes of nibbles.
//! `d scale q - dmin min`.

use super::read::{bits, f16};

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    affine(b, i, nibble(b, 16, i))
}

/// `d scale q - dmin min` with the block's head: the same in Q5_K.
pub(super) fn affine(b: &[u8], i: usize, q: u32) -> f64 {
    let (scale, min) = (six_bits(b, 4, 0, i / 32), six_bits(b, 8, 4, i / 32));
    f16(b, 0) * f64::from(scale) * f64::from(q) - f16(b, 2) * f64::from(min)
}

/// Nibble `i` from byte `at`: 64 weights in 32 bytes, the first 32 in the low nibbles.
pub(super) fn nibble(b: &[u8], at: usize, i: usize) -> u32 {
    bits(b, at + i / 64 * 32 + i % 32, i % 64 / 32 * 4, 4)
}

/// The 6-bit number of `group`, of the scales (`first` 4, `nibble` 0) or the mins (`first` 8, `nibble` 4). Groups 0..4
/// lie in the low bits of the four bytes from `first`; groups 4..8 have their upper two bits above those, and their
/// low four in the nibbles of the four bytes from 12.
fn six_bits(b: &[u8], first: usize, nibble: usize, group: usize) -> u32 {
    match group {
        0..4 => bits(b, first + group, 0, 6),
        _ => bits(b, 12 + group - 4, nibble, 4) + 16 * bits(b, first + group - 4, 6, 2),
    }
}
