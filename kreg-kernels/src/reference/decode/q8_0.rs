//! Q8_0, 34 bytes: f16 d, 32 signed bytes. `d q`.

use super::read::{f16, i8};

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    f16(b, 0) * i8(b, 2 + i)
}
