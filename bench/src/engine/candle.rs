//! candle-core: `QMatMul`, and for the float types also the quantised tensor that it would otherwise expand.
//!
//! candle's own pool takes its size from `RAYON_NUM_THREADS` once, which is why `peers` measures each number of threads
//! in a process of its own.

use std::borrow::Cow;
use std::sync::Arc;

use candle_core::quantized::{GgmlDType, QMatMul, QStorage, QTensor};
use candle_core::{DType, Device, Module, Tensor};
use kreg::QType;

use super::{Budget, Engine, Matrix};
use crate::Error;

/// candle with one way of multiplying.
pub struct Candle {
    what: &'static str,
    cols: usize,
    batches: bool,
    weights: Vec<QMatMul>,
    next: usize,
    output: Option<Tensor>,
}

impl Candle {
    /// Every way that candle has for this type; none when it lacks the type. Only with `batches` for more than one
    /// activation row: there it takes most of the time of a run, and no bound asks for it.
    ///
    /// # Errors
    /// Whatever candle says.
    pub fn ways(matrix: &Matrix, batches: bool) -> Result<Vec<Self>, Error> {
        let Some(dtype) = dtype(matrix.qtype) else { return Ok(Vec::new()) };
        let mut ways = vec![Self::new("QMatMul", matrix, batches, dtype, QMatMul::from_arc)?];
        if matrix.qtype.block_elems() == 1 {
            ways.push(Self::new("QTensor", matrix, batches, dtype, |tensor| Ok(QMatMul::QTensor(tensor)))?);
        }
        Ok(ways)
    }

    fn new(
        what: &'static str,
        matrix: &Matrix,
        batches: bool,
        dtype: GgmlDType,
        way: impl Fn(Arc<QTensor>) -> candle_core::Result<QMatMul>,
    ) -> Result<Self, Error> {
        let one = || {
            let storage = QStorage::from_data(Cow::Borrowed(&matrix.bytes), &Device::Cpu, dtype)?;
            way(Arc::new(QTensor::new(storage, (matrix.rows, matrix.cols))?))
        };
        let weights = (0..matrix.copies).map(|_| one()).collect::<candle_core::Result<Vec<_>>>()?;
        // candle repacks some types when a tensor is first used; that is loading, not multiplying.
        for m in if batches { &[1, 8][..] } else { &[1] } {
            let x = Tensor::zeros((*m, matrix.cols), DType::F32, &Device::Cpu)?;
            weights.iter().try_for_each(|w| w.forward(&x).map(drop))?;
        }
        Ok(Self { what, cols: matrix.cols, batches, weights, next: 0, output: None })
    }
}

impl Engine for Candle {
    fn name(&self) -> &'static str {
        "candle"
    }

    fn what(&self) -> String {
        self.what.into()
    }

    fn takes(&self, m: usize) -> bool {
        m == 1 || self.batches
    }

    fn turn(&mut self, x: &[f32], budget: &Budget) -> Result<Vec<f64>, Error> {
        let x = Tensor::from_slice(x, (x.len() / self.cols, self.cols), &Device::Cpu)?;
        budget.sample(|| {
            let weights = &self.weights[self.next % self.weights.len()];
            self.next += 1;
            self.output = Some(weights.forward(&x)?);
            Ok(())
        })
    }

    fn output(&self) -> Result<Vec<f32>, Error> {
        let output = self.output.as_ref().ok_or("no product yet")?;
        Ok(output.flatten_all()?.to_vec1()?)
    }
}

/// candle's name for a type.
fn dtype(qtype: QType) -> Option<GgmlDType> {
    Some(match qtype {
        QType::F32 => GgmlDType::F32,
        QType::F16 => GgmlDType::F16,
        QType::BF16 => GgmlDType::BF16,
        QType::Q4_0 => GgmlDType::Q4_0,
        QType::Q4_1 => GgmlDType::Q4_1,
        QType::Q5_0 => GgmlDType::Q5_0,
        QType::Q5_1 => GgmlDType::Q5_1,
        QType::Q8_0 => GgmlDType::Q8_0,
        QType::Q2_K => GgmlDType::Q2K,
        QType::Q3_K => GgmlDType::Q3K,
        QType::Q4_K => GgmlDType::Q4K,
        QType::Q5_K => GgmlDType::Q5K,
        QType::Q6_K => GgmlDType::Q6K,
        _ => return None,
    })
}
