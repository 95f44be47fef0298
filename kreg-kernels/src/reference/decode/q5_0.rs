//! Q5_0, 22 bytes: f16 d, 32 fifth bits, 32 nibbles. `d (q - 16)`.

use super::read::{bits, f16, nibble_of_32};

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    let q = nibble_of_32(b, 6, i) + 16 * bits(b, 2 + i / 8, i % 8, 1);
    f16(b, 0) * (f64::from(q) - 16.0)
}
