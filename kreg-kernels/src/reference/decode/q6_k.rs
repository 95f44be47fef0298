//! Q6_K, 210 bytes: 128 bytes of low nibbles, 64 bytes of upper bits, 16 signed scales for groups of 16, f16 d.
//! `d scale (q - 32)`.

use super::read::{bits, f16, i8};

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    // A half of 128 weights has 64 bytes of nibbles (low ones first) and 32 bytes of upper bits (lowest first).
    let (half, j) = (i / 128, i % 128);
    let q =
        bits(b, half * 64 + j % 64, j / 64 * 4, 4) + 16 * bits(b, 128 + half * 32 + j % 32, j / 32 * 2, 2);
    f16(b, 208) * i8(b, 192 + i / 16) * (f64::from(q) - 32.0)
}
