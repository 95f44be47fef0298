//! Numbers in bytes.

/// The little-endian f16 at byte `at`, by its definition.
pub(super) fn f16(b: &[u8], at: usize) -> f64 {
    let bits = u16_le(b, at);
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// The little-endian u16 at byte `at`.
pub(super) fn u16_le(b: &[u8], at: usize) -> u16 {
    u16::from(b[at]) | u16::from(b[at + 1]) << 8
}

/// The little-endian u32 at byte `at`.
pub(super) fn u32_le(b: &[u8], at: usize) -> u32 {
    u32::from(u16_le(b, at)) | u32::from(u16_le(b, at + 2)) << 16
}

/// `width` bits of byte `at`, from bit `from` up.
pub(super) fn bits(b: &[u8], at: usize, from: usize, width: u32) -> u32 {
    u32::from(b[at]) >> from & ((1 << width) - 1)
}

/// The signed byte `at`.
pub(super) fn i8(b: &[u8], at: usize) -> f64 {
    f64::from(b[at].cast_signed())
}

/// Nibble `i` of the 32 that start at byte `at`: the low nibbles of 16 bytes, then the high ones.
pub(super) fn nibble_of_32(b: &[u8], at: usize, i: usize) -> u32 {
    bits(b, at + i % 16, i / 16 * 4, 4)
}

#[cfg(test)]
mod tests {
    #[test]
    fn halves() {
        let f16 = |bits: u16| super::f16(&bits.to_le_bytes(), 0);
        assert_eq!(
            [0x3c00, 0xc000, 0x0001, 0x7bff, 0x8000].map(f16),
            [1.0, -2.0, 2f64.powi(-24), 65504.0, 0.0]
        );
        assert!(f16(0xfc00) == f64::NEG_INFINITY && f16(0x7e00).is_nan());
    }
}
