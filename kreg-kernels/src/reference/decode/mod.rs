//! Weight formats, one weight at a time.
//!
//! Each format is one formula for its `i`-th weight, exact in float64; [`decode`](Format::decode) rounds it to f32 once.
//! Every product in these formulas fits 24 bits, so that is the same value, bit for bit, as the published decoders' f32
//! arithmetic.

mod apr_q4;
mod apr_q8;
mod bf16;
mod f16;
mod f32;
mod grid;
mod iq2_s;
mod iq2_xxs;
mod iq3_s;
mod iq3_xxs;
mod iq4_nl;
mod iq4_xs;
mod q2_k;
mod q3_k;
mod q4_0;
mod q4_1;
mod q4_k;
mod q5_0;
mod q5_1;
mod q5_k;
mod q6_k;
mod q8_0;
mod read;

/// One weight format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The registry's name of the type.
    pub name: &'static str,
    /// Weights in a block.
    pub elems: usize,
    /// Bytes in a block.
    pub bytes: usize,
    /// How blocks follow each other.
    pub order: Order,
    /// Where the floating-point numbers of a block lie, or of the header of a stream that has one.
    pub scales: &'static [Scale],
    /// The `i`-th weight: of a block when rows are whole blocks, of the whole matrix when it is one stream.
    weight: fn(&[u8], usize) -> f64,
}

/// How blocks follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A row is a whole number of blocks.
    Rows,
    /// One stream over the matrix behind a header of this many bytes.
    Flat(usize),
}

/// A floating-point number at a byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// IEEE half.
    F16(usize),
    /// Upper half of an f32.
    BF16(usize),
    /// IEEE single.
    F32(usize),
}

use Order::{Flat, Rows};
use Scale::{BF16, F16, F32};

/// Every format.
#[rustfmt::skip]
pub const FORMATS: [Format; 21] = [
    Format { name: "F32",     elems: 1,   bytes: 4,   order: Rows,    scales: &[F32(0)],          weight: f32::weight },
    Format { name: "F16",     elems: 1,   bytes: 2,   order: Rows,    scales: &[F16(0)],          weight: f16::weight },
    Format { name: "BF16",    elems: 1,   bytes: 2,   order: Rows,    scales: &[BF16(0)],         weight: bf16::weight },
    Format { name: "Q4_0",    elems: 32,  bytes: 18,  order: Rows,    scales: &[F16(0)],          weight: q4_0::weight },
    Format { name: "Q4_1",    elems: 32,  bytes: 20,  order: Rows,    scales: &[F16(0), F16(2)],  weight: q4_1::weight },
    Format { name: "Q5_0",    elems: 32,  bytes: 22,  order: Rows,    scales: &[F16(0)],          weight: q5_0::weight },
    Format { name: "Q5_1",    elems: 32,  bytes: 24,  order: Rows,    scales: &[F16(0), F16(2)],  weight: q5_1::weight },
    Format { name: "Q8_0",    elems: 32,  bytes: 34,  order: Rows,    scales: &[F16(0)],          weight: q8_0::weight },
    Format { name: "Q2_K",    elems: 256, bytes: 84,  order: Rows,    scales: &[F16(80), F16(82)],weight: q2_k::weight },
    Format { name: "Q3_K",    elems: 256, bytes: 110, order: Rows,    scales: &[F16(108)],        weight: q3_k::weight },
    Format { name: "Q4_K",    elems: 256, bytes: 144, order: Rows,    scales: &[F16(0), F16(2)],  weight: q4_k::weight },
    Format { name: "Q5_K",    elems: 256, bytes: 176, order: Rows,    scales: &[F16(0), F16(2)],  weight: q5_k::weight },
    Format { name: "Q6_K",    elems: 256, bytes: 210, order: Rows,    scales: &[F16(208)],        weight: q6_k::weight },
    Format { name: "IQ2_XXS", elems: 256, bytes: 66,  order: Rows,    scales: &[F16(0)],          weight: iq2_xxs::weight },
    Format { name: "IQ2_S",   elems: 256, bytes: 82,  order: Rows,    scales: &[F16(0)],          weight: iq2_s::weight },
    Format { name: "IQ3_XXS", elems: 256, bytes: 98,  order: Rows,    scales: &[F16(0)],          weight: iq3_xxs::weight },
    Format { name: "IQ3_S",   elems: 256, bytes: 110, order: Rows,    scales: &[F16(0)],          weight: iq3_s::weight },
    Format { name: "IQ4_NL",  elems: 32,  bytes: 18,  order: Rows,    scales: &[F16(0)],          weight: iq4_nl::weight },
    Format { name: "IQ4_XS",  elems: 256, bytes: 136, order: Rows,    scales: &[F16(0)],          weight: iq4_xs::weight },
    Format { name: "APR_Q4",  elems: 32,  bytes: 18,  order: Flat(0), scales: &[F16(0)],          weight: apr_q4::weight },
    Format { name: "APR_Q8",  elems: 1,   bytes: 1,   order: Flat(4), scales: &[F32(0)],          weight: apr_q8::weight },
];

/// The format that the registry calls `name`.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|f| f.name == name)
}

impl Format {
    /// Bytes of a `[rows, cols]` matrix.
    pub fn byte_len(&self, rows: usize, cols: usize) -> usize {
        match self.order {
            Rows => rows * cols.div_ceil(self.elems) * self.bytes,
            Flat(header) => header + (rows * cols).div_ceil(self.elems) * self.bytes,
        }
    }

    /// The weights `[rows, cols]` that `bytes` hold.
    ///
    /// # Panics
    /// When `bytes` are too few.
    pub fn decode(&self, bytes: &[u8], rows: usize, cols: usize) -> Vec<f32> {
        let weight = |r: usize, k: usize| match self.order {
            Rows => {
                let block = r * cols.div_ceil(self.elems) + k / self.elems;
                (self.weight)(&bytes[block * self.bytes..][..self.bytes], k % self.elems)
            }
            Flat(_) => (self.weight)(bytes, r * cols + k),
        };
        (0..rows).flat_map(|r| (0..cols).map(move |k| weight(r, k) as f32)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{FORMATS, format};

    /// One block of any bytes has as many weights as it says, and reads no further.
    #[test]
    fn a_block_is_enough() {
        for f in &FORMATS {
            let bytes: Vec<u8> = (0..f.byte_len(1, f.elems)).map(|i| (i * 37 + 11) as u8).collect();
            assert_eq!(f.decode(&bytes, 1, f.elems).len(), f.elems, "{}", f.name);
        }
        assert!(format("MXFP4").is_none());
    }
}
