//! IQ4_NL, 18 bytes: f16 d, 32 nibbles that index 16 levels. `d level`.

use super::read::{f16, nibble_of_32};

/// The levels, denser around zero.
pub(super) const LEVELS: [i32; 16] =
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    f16(b, 0) * f64::from(LEVELS[nibble_of_32(b, 2, i) as usize])
}
