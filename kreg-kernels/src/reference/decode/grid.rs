//! The codebooks of the IQ formats, and their signs.

use std::sync::OnceLock;

/// A codebook as text: one word per entry, one digit per weight, each digit an index into `levels`.
pub(super) struct Grid {
    text: &'static str,
    levels: &'static [u8],
    entries: OnceLock<Vec<Vec<f64>>>,
}

impl Grid {
    pub(super) const fn new(text: &'static str, levels: &'static [u8]) -> Self {
        Self { text, levels, entries: OnceLock::new() }
    }

    /// Weight `i` of entry `index`.
    pub(super) fn at(&self, index: u32, i: usize) -> f64 {
        let level = |digit: u8| f64::from(self.levels[usize::from(digit - b'0')]);
        let read = || self.text.split_whitespace().map(|word| word.bytes().map(level).collect()).collect();
        self.entries.get_or_init(read)[index as usize][i]
    }
}

/// The sign of weight `i` of 8 when seven bits are stored: the eighth makes the number of minus signs even.
pub(super) fn sign_of_seven(seven: u32, i: usize) -> f64 {
    let eighth = (seven & 127).count_ones() % 2;
    sign((seven & 127) | eighth << 7, i)
}

/// The sign that bit `i` stands for.
pub(super) fn sign(byte: u32, i: usize) -> f64 {
    if byte >> i & 1 == 1 { -1.0 } else { 1.0 }
}
