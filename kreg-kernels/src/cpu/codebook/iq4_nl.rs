//! The sixteen values of IQ4_NL and IQ4_XS, denser around zero.

/// Value of each code.
pub(crate) const VALUES: [i8; 16] =
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/// Values of the two codes in each byte: the low nibble's in the low byte.
pub(crate) static PAIRS: [u16; 256] = {
    let mut pairs = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = u16::from_le_bytes([VALUES[byte & 15] as u8, VALUES[byte >> 4] as u8]);
        byte += 1;
    }
    pairs
};
