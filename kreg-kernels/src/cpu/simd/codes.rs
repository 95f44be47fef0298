//! What the bytes of an unpacked block stand for, and how products of them are formed.

use super::Simd;

/// What the bytes of a block stand for.
#[derive(Clone, Copy)]
pub(crate) enum Codes {
    /// Numbers from 0 to this one, of a type with minimums.
    Unsigned(u8),
    /// Numbers from 0 to `max`, less `offset`.
    Offset { max: u8, offset: u8 },
    /// Numbers from `-max` to `max`.
    Signed { max: u8 },
}

/// The largest activation.
const X: usize = 127;

/// Whether the machine multiplies signed bytes as fast as any: NEON does, AVX2 wants one factor unsigned.
const SIGNED_BYTES: bool = cfg!(target_arch = "aarch64");

impl Codes {
    /// Whether the type has minimums.
    pub(super) const fn has_minimums(self) -> bool {
        matches!(self, Self::Unsigned(_))
    }

    /// What is taken off a code.
    const fn offset(self) -> u8 {
        match self {
            Self::Offset { offset, .. } => offset,
            Self::Unsigned(_) | Self::Signed { .. } => 0,
        }
    }

    /// Asserts that the sum of two products fits the 16 bits that AVX2 and NEON have for it: beyond, AVX2 saturates.
    pub(super) const fn check(self) {
        let (Self::Unsigned(max) | Self::Offset { max, .. } | Self::Signed { max }) = self;
        assert!(2 * max as usize * X <= i16::MAX as usize);
    }

    /// The products of codes `w` and activations `x`.
    #[inline(always)]
    pub(super) fn multiply<S: Simd>(self, s: S, w: S::Bytes, x: &[i8; 32], start: &[i16; 16]) -> S::Products {
        match self {
            Self::Unsigned(_) => s.multiply(w, s.load(x)),
            Self::Offset { offset, .. } => s.multiply_offset(w, offset, s.load(x), start),
            Self::Signed { .. } => s.multiply_signed(w, s.load(x)),
        }
    }

    /// `-offset * x`, each two neighbours added.
    pub(super) fn start(self, x: &[i8; 32]) -> [i16; 16] {
        let pairs = x.as_chunks::<2>().0;
        std::array::from_fn(|i| -i16::from(self.offset()) * (i16::from(pairs[i][0]) + i16::from(pairs[i][1])))
    }

    /// What is added to signed codes to make them unsigned bytes, 0 where they stay signed.
    const fn shift(self) -> u8 {
        match self {
            Self::Signed { max } if max < 64 => max,
            Self::Signed { .. } if !SIGNED_BYTES => 128,
            _ => 0,
        }
    }

    /// In how many planes a panel holds the codes: those of eight bits in two of a nibble, where signed bytes cannot be
    /// multiplied. The second counts sixteenfold.
    pub(super) const fn planes(self) -> usize {
        if self.shift() == 128 { 2 } else { 1 }
    }

    /// The planes of codes as a panel holds them: unsigned if possible.
    #[inline(always)]
    pub(super) fn for_panel<S: Simd>(self, s: S, codes: S::Bytes) -> [S::Bytes; 2] {
        let codes = if self.shift() == 0 { codes } else { s.add_bytes(codes, s.splat(self.shift())) };
        if self.planes() == 1 { [codes; 2] } else { [s.and(codes, s.splat(15)), s.shift(codes, 4, 15)] }
    }

    /// What is to be taken off the code of a panel.
    pub(super) const fn panel_offset(self) -> i32 {
        (self.offset() + self.shift()) as i32
    }

    /// How many sums of two products of a panel's codes fit 16 bits, at most 8.
    pub(super) const fn fold(self) -> usize {
        let max = match self {
            _ if self.planes() == 2 => 15,
            Self::Unsigned(max) | Self::Offset { max, .. } => max as usize,
            Self::Signed { max } => max as usize + self.shift() as usize,
        };
        let mut fold = 8;
        while fold * 2 * max * X > i16::MAX as usize {
            fold /= 2;
        }
        fold
    }

    /// As [`multiply`](Self::multiply) for a panel's codes, [`panel_offset`](Self::panel_offset) apart.
    #[inline(always)]
    pub(super) fn multiply_panel<S: Simd>(self, s: S, w: S::Bytes, x: S::Bytes) -> S::Products {
        match self {
            Self::Signed { .. } if self.shift() == 0 => s.multiply_signed(w, x),
            _ => s.multiply(w, x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_fit_16_bits() {
        let fold = |codes: Codes| codes.fold();
        assert_eq!(fold(Codes::Unsigned(3)), 8);
        assert_eq!(fold(Codes::Unsigned(15)), 8, "8 * 2 * 15 * 127 = 30480");
        assert_eq!(fold(Codes::Unsigned(31)), 4);
        assert_eq!(fold(Codes::Offset { max: 63, offset: 32 }), 2);
        assert_eq!(fold(Codes::Signed { max: 15 }), 4, "as 0..=30");
        assert_eq!(fold(Codes::Signed { max: 62 }), 1, "as 0..=124");
        assert_eq!(
            fold(Codes::Signed { max: 128 }),
            if SIGNED_BYTES { 1 } else { 8 },
            "2 * 128 * 127 = 32512"
        );
    }
}
