//! Q3_K, 110 bytes: 32 bytes of third bits, 64 bytes of 2-bit codes as in Q2_K, 12 bytes of 6-bit scales for groups
//! of 16, f16 d. `d (scale - 32) (q - 4)`, the third bit worth 4.

use super::q2_k::code;
use super::read::{bits, f16};

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    let q = code(b, 32, i) + 4 * bits(b, i % 32, i / 32, 1);
    f16(b, 108) * (f64::from(scale(b, 96, i / 16)) - 32.0) * (f64::from(q) - 4.0)
}

/// The 6-bit scale of `group`: eight bytes of low nibbles then high ones, four bytes of upper bits, two each.
fn scale(b: &[u8], at: usize, group: usize) -> u32 {
    bits(b, at + group % 8, group / 8 * 4, 4) + 16 * bits(b, at + 8 + group % 4, group / 4 * 2, 2)
}
