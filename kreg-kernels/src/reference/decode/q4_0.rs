//! Q4_0, 18 bytes: f16 d, 32 nibbles. `d (q - 8)`.

use super::read::{f16, nibble_of_32};

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    f16(b, 0) * (f64::from(nibble_of_32(b, 2, i)) - 8.0)
}
