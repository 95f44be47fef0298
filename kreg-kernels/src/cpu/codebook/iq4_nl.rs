//! The sixteen values of IQ4_NL and IQ4_XS, denser around zero.

/// Value of each code.
pub(crate) const VALUES: [i8; 16] =
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
