//! IQ4_XS, 136 bytes: f16 d, 16 bits of upper scale bits, 4 bytes of lower ones, 8 groups of 32 nibbles as in IQ4_NL.
//! `d (scale - 32) level`.

use super::iq4_nl::LEVELS;
use super::read::{bits, f16, nibble_of_32};

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    let g = i / 32;
    let scale = bits(b, 4 + g / 2, g % 2 * 4, 4) + 16 * bits(b, 2 + g / 4, g % 4 * 2, 2);
    f16(b, 0) * (f64::from(scale) - 32.0) * f64::from(LEVELS[nibble_of_32(b, 8 + 16 * g, i % 32) as usize])
}
