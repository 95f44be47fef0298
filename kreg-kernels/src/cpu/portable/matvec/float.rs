//! Products whose activations stay in f32: decode a block, multiply, add.

use super::super::super::split;
use crate::format::Format;
use crate::matrix::Matrix;
use crate::workspace::Workspace;

/// Decodes one block to `ELEMS` f32 weights.
pub(crate) trait Decode: Format {
    /// Writes the weights of `block` to `out`, whose length is `Self::ELEMS`.
    fn decode(block: &Self::Block, out: &mut [f32]);
}

/// The product for any row-stored format that decodes block by block.
pub(crate) fn matvec<F: Decode>(w: Matrix<'_, F>, x: &[f32], y: &mut [f32], _ws: &mut Workspace) {
    let m = x.len() / w.cols();
    split::by_rows(y, m, w.rows(), w.bytes().len(), |mut out| {
        let mut weights = [0.0; 256];
        for r in out.range() {
            for i in 0..m {
                let x = &x[i * w.cols()..(i + 1) * w.cols()];
                let mut sum = 0.0;
                for (block, x) in w.row(r).iter().zip(x.chunks_exact(F::ELEMS)) {
                    F::decode(block, &mut weights[..F::ELEMS]);
                    sum += weights.iter().zip(x).map(|(w, x)| w * x).sum::<f32>();
                }
                out.set(i, r, sum);
            }
        }
    });
}
