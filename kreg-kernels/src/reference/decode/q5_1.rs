//! Q5_1, 24 bytes: f16 d, f16 m, 32 fifth bits, 32 nibbles. `d q + m`.

use super::read::{bits, f16, nibble_of_32};

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    let q = nibble_of_32(b, 8, i) + 16 * bits(b, 4 + i / 8, i % 8, 1);
    f16(b, 0) * f64::from(q) + f16(b, 2)
}
