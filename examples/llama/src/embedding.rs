//! The row of a token in an embedding table of any registered type.
//!
//! kreg's `embed` copies rows of an f32 table. Rows of another type are decoded by that type's own product, without a
//! second decoder and without a decoded table in memory: the blocks of one row are also a matrix `[blocks, block]`,
//! whose product with the identity holds every weight of the row.

use kreg::Refusal;
use kreg::cpu::{Device, Weights};

use crate::product::{Raw, Run};

/// An embedding table.
pub(crate) struct Embedding<'a> {
    raw: Raw<'a>,
    /// Weights in one block, and the identity matrix of that size.
    block: usize,
    identity: Vec<f32>,
}

impl<'a> Embedding<'a> {
    /// A table in which every row is whole blocks, as in all types of GGML.
    ///
    /// # Errors
    /// [`Refusal::Length`] for a type of the APR container whose blocks run on across rows.
    pub(crate) fn new(raw: Raw<'a>) -> Result<Self, Refusal> {
        let (got, by_rows) = (raw.bytes.len(), raw.qtype.byte_len(1, raw.cols)?.saturating_mul(raw.rows));
        if got != by_rows {
            return Err(Refusal::Length {
                what: "embedding rows",
                expected: by_rows as u64,
                got: got as u64,
            });
        }
        let block = raw.qtype.block_elems() as usize;
        let mut identity = vec![0.0; block * block];
        identity.iter_mut().step_by(block + 1).for_each(|diagonal| *diagonal = 1.0);
        Ok(Self { raw, block, identity })
    }

    /// Writes the row of `token` to `out`. `scratch` is as long as a row.
    ///
    /// # Errors
    /// [`Refusal::OutOfRange`] for a token outside the table.
    pub(crate) fn row(
        &self,
        device: &Device,
        token: u32,
        out: &mut [f32],
        scratch: &mut [f32],
        run: &mut Run,
    ) -> Result<(), Refusal> {
        let row = token as usize;
        if row >= self.raw.rows {
            return Err(Refusal::OutOfRange {
                what: "token",
                limit: self.raw.rows as u64,
                got: token.into(),
            });
        }
        let len = self.raw.bytes.len() / self.raw.rows;
        let blocks = self.raw.cols / self.block;
        let bytes = &self.raw.bytes[row * len..][..len];
        let weights = Weights::bind(device, self.raw.path, bytes, blocks, self.block)?;
        run.trace.record(weights.matvec(&self.identity, scratch, &mut run.ws)?);
        // The product is [block, blocks]: weight i of every block, then weight i + 1 of every block.
        for (i, weights) in scratch.chunks_exact(blocks).enumerate() {
            out.iter_mut().skip(i).step_by(self.block).zip(weights).for_each(|(out, w)| *out = *w);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use gguf_file::File;
    use kreg::QType;

    use super::*;

    /// `y = W x` in float64 by gguf-py, for rows of a real model in every type.
    #[test]
    fn rows_of_every_registered_type_decode() {
        let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/smollm2-slice.gguf");
        let bytes = std::fs::read(fixture).unwrap();
        let file = File::parse(&bytes).unwrap();
        let device = Device::host().unwrap();
        let x = file.tensor("x.down").unwrap().f32s().unwrap();
        let mut run = Run::default();
        let mut seen = 0;
        for w in file.tensors.iter().filter(|t| t.name.starts_with("w.down.")) {
            let Ok(qtype) = QType::from_ggml(w.ggml_type) else { continue };
            let (rows, cols) = (w.rows() as usize, w.cols() as usize);
            let raw =
                Raw::new(w.ggml_type, rows, cols, |len| w.bytes(len).map_err(crate::Error::from)).unwrap();
            let table = Embedding::new(raw).unwrap();
            let of = |part: &str| file.tensor(&w.name.replacen('w', part, 1)).unwrap().f64s().unwrap();
            let (y, mag) = (of("y"), of("mag"));
            let (mut out, mut scratch) = (vec![0.0; cols], vec![0.0; cols]);
            for row in 0..rows {
                table.row(&device, row as u32, &mut out, &mut scratch, &mut run).unwrap();
                let dot: f64 = out.iter().zip(&x).map(|(&w, &x)| f64::from(w) * f64::from(x)).sum();
                assert!(
                    (dot - y[row]).abs() <= 1e-6 * mag[row],
                    "{qtype:?} row {row}: {dot} is not {}",
                    y[row]
                );
            }
            seen += 1;
        }
        assert!(seen >= 19, "only {seen} types were tried");
    }
}
