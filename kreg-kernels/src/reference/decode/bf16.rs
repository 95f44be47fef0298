//! BF16: the upper half of an f32.

use super::read::u16_le;

pub(super) fn weight(b: &[u8], _: usize) -> f64 {
    f64::from(f32::from_bits(u32::from(u16_le(b, 0)) << 16))
}
