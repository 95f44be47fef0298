//! Q5_K, 176 bytes: head as in Q4_K, 32 bytes of fifth bits, 128 bytes of nibbles as in Q4_K.
//! `d scale q - dmin min`.

use super::q4_k::{affine, nibble};
use super::read::bits;

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    affine(b, i, nibble(b, 48, i) + 16 * bits(b, 16 + i % 32, i / 32, 1))
}
