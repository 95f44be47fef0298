//! APR_Q8: an f32 scale for the whole matrix, then signed bytes. `scale q`.

use super::read::{i8, u32_le};

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    f64::from(f32::from_bits(u32_le(b, 0))) * i8(b, 4 + i)
}
