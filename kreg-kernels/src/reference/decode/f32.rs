//! F32: the value.

use super::read::u32_le;

pub(super) fn weight(b: &[u8], _: usize) -> f64 {
    f64::from(f32::from_bits(u32_le(b, 0)))
}
