//! APR_Q4: one stream over the matrix; per 32 weights an f16 d and 32 nibbles, neighbours sharing a byte.
//! `d (q - 8)`.

use super::read::{bits, f16};

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    let at = i / 32 * 18;
    f16(b, at) * (f64::from(bits(b, at + 2 + i % 32 / 2, i % 2 * 4, 4)) - 8.0)
}
