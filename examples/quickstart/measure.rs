//! One weight type of the fixture: its error against the float64 answers, and its speed.

use std::time::{Duration, Instant};

use gguf_file::{File, Tensor};
use kreg::kernels::reference::gamma;
use kreg::{KernelId, Path, Precision, QType, Workspace, cpu};

use crate::Failure;

/// Weights are repeated to at least this many bytes before they are timed, so that they come from memory.
const TIMED_BYTES: usize = 64 << 20;

/// A quantised activation row costs at most this, relative to the largest output.
const QUANTISED_BOUND: f64 = 2e-2;

/// Weights, activations and answers of one type in one part of the fixture.
pub(crate) struct Case<'b> {
    qtype: QType,
    bytes: &'b [u8],
    rows: usize,
    cols: usize,
    x: Vec<f32>,
    y: Vec<f64>,
    mag: Option<Vec<f64>>,
}

/// What was measured.
pub(crate) struct Measured {
    pub(crate) kernel: KernelId,
    /// Largest error, in units of the bound's base: `|W| |x|` for f32 rows, the largest output for quantised ones.
    pub(crate) error: f64,
    pub(crate) bound: f64,
    /// GB/s of weights for one activation row, where the weights can be repeated.
    pub(crate) speed: Option<f64>,
}

impl<'b> Case<'b> {
    /// The tensors of `qtype` in `part`, if the part has that type.
    pub(crate) fn find(file: &File<'b>, part: &str, qtype: QType) -> Result<Option<Self>, Failure> {
        let Some(w) = file.tensor(&format!("w.{part}.{}", qtype.name())) else { return Ok(None) };
        let get = |name: String| file.tensor(&name).ok_or_else(|| format!("the fixture lacks {name}"));
        let x = get(format!("x.{part}"))?;
        let y = get(format!("y.{part}.{}", qtype.name()))?;
        let mag = file.tensor(&format!("mag.{part}.{}", qtype.name()));
        let (rows, cols) = (usize::try_from(y.cols())?, usize::try_from(x.cols())?);
        Ok(Some(Self {
            qtype,
            bytes: w.bytes(qtype.byte_len(rows, cols)?)?,
            rows,
            cols,
            x: x.f32s()?,
            y: y.f64s()?,
            mag: mag.map(Tensor::f64s).transpose()?,
        }))
    }

    /// Runs the product once for the error and, where it makes sense, for a while for the speed.
    pub(crate) fn run(&self, device: &cpu::Device, path: Path) -> Result<Measured, Failure> {
        let mut ws = Workspace::new();
        let mut y = vec![0.0; self.y.len()];
        let w = cpu::Weights::bind(device, path, self.bytes, self.rows, self.cols)?;
        let kernel = w.matvec(&self.x, &mut y, &mut ws)?;
        let errors = y.iter().zip(&self.y).map(|(got, want)| (f64::from(*got) - want).abs());
        let exact = kernel.precision() == Precision::F32;
        let (error, bound) = match &self.mag {
            Some(mag) if exact => (largest(errors.zip(mag).map(|(e, mag)| e / mag)), gamma(self.cols)),
            _ => {
                let top = largest(self.y.iter().map(|y| y.abs()));
                (
                    largest(errors) / top,
                    if exact { gamma(self.cols) * self.cols as f64 } else { QUANTISED_BOUND },
                )
            }
        };
        Ok(Measured { kernel, error, bound, speed: self.speed(device, path, &mut ws)? })
    }

    /// GB/s for one activation row over many copies of the weights. A matrix with a header or with rows that start
    /// inside a block cannot be repeated so.
    fn speed(&self, device: &cpu::Device, path: Path, ws: &mut Workspace) -> Result<Option<f64>, Failure> {
        let copies = TIMED_BYTES.div_ceil(self.bytes.len());
        if self.qtype.byte_len(copies * self.rows, self.cols)? != copies * self.bytes.len() {
            return Ok(None);
        }
        let bytes = self.bytes.repeat(copies);
        let w = cpu::Weights::bind(device, path, &bytes, self.rows * copies, self.cols)?;
        let mut y = vec![0.0; self.rows * copies];
        let mut best = Duration::MAX;
        for _ in 0..3 {
            let start = Instant::now();
            w.matvec(&self.x[..self.cols], &mut y, ws)?;
            best = best.min(start.elapsed());
        }
        Ok(Some(bytes.len() as f64 / best.as_secs_f64() / 1e9))
    }
}

/// The largest value; NaN if there is one.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |max, v| if v > max || v.is_nan() { v } else { max })
}
