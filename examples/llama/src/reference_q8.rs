//! Q8_0 products in float64, for tests that compare a whole model with a float64 forward pass: kreg's Q8_0 row rounds
//! its activations to eight bits, which such a comparison would see.

use rayon::prelude::*;

/// Weights of one block, and its bytes: an f16 scale and as many signed weights.
const ELEMS: usize = 32;
const BYTES: usize = 34;

/// A Q8_0 matrix as it lies in the file.
pub(crate) struct ReferenceQ8<'a> {
    blocks: &'a [[u8; BYTES]],
    cols: usize,
}

impl<'a> ReferenceQ8<'a> {
    /// `bytes` have been checked against the shape: whole blocks, `cols` values a row.
    pub(crate) fn new(bytes: &'a [u8], cols: usize) -> Self {
        Self { blocks: bytes.as_chunks().0, cols }
    }

    /// `y[i][r] = sum_k W[r][k] * x[i][k]`.
    pub(crate) fn matvec(&self, x: &[f32], y: &mut [f32]) {
        let rows = self.blocks.len() / (self.cols / ELEMS);
        for (x, y) in x.chunks_exact(self.cols).zip(y.chunks_exact_mut(rows)) {
            y.par_iter_mut().with_min_len(64).enumerate().for_each(|(r, y)| {
                let values = self.row(r).zip(x);
                *y = values.map(|(w, &x)| w * f64::from(x)).sum::<f64>() as f32;
            });
        }
    }

    /// The values of row `r`.
    pub(crate) fn row(&self, r: usize) -> impl Iterator<Item = f64> {
        let per_row = self.cols / ELEMS;
        self.blocks[r * per_row..][..per_row].iter().flat_map(|block| {
            let d = f16(u16::from_le_bytes([block[0], block[1]]));
            block[2..].iter().map(move |&q| d * f64::from(q.cast_signed()))
        })
    }
}

/// The value of an IEEE half.
fn f16(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    let magnitude = match bits >> 10 & 31 {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1.0 + fraction) * 2f64.powi(i32::from(e) - 15),
    };
    sign * magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_decode() {
        let cases =
            [(0x0000, 0.0), (0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0001, 2f64.powi(-24))];
        cases.into_iter().for_each(|(bits, value)| assert_eq!(f16(bits), value));
        assert!(f16(0x7c01).is_nan() && f16(0xfc00) == f64::NEG_INFINITY);
    }

    #[test]
    fn a_product_by_hand() {
        let mut bytes = [0u8; 2 * BYTES];
        bytes[..4].copy_from_slice(&[0x00, 0x38, 3, 0xff]); // d = 0.5: 1.5, -0.5, 0, ...
        bytes[BYTES..BYTES + 3].copy_from_slice(&[0x00, 0x3c, 7]); // d = 1: 7, 0, ...
        let mut x = [0.0; ELEMS];
        x[..2].copy_from_slice(&[2.0, 4.0]);
        let mut y = [0.0; 2];
        ReferenceQ8::new(&bytes, ELEMS).matvec(&x, &mut y);
        assert_eq!(y, [1.0, 14.0]);
    }
}
