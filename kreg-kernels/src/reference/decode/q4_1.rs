//! Q4_1, 20 bytes: f16 d, f16 m, 32 nibbles. `d q + m`.

use super::read::{f16, nibble_of_32};

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    f16(b, 0) * f64::from(nibble_of_32(b, 4, i)) + f16(b, 2)
}
