//! F16: the value.

pub(super) fn weight(b: &[u8], _: usize) -> f64 {
    super::read::f16(b, 0)
}
