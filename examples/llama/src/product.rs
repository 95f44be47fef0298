//! One weight matrix, bound to what multiplies by it.

use kreg::cpu::{Device, Weights};
use kreg::{Backend, Op, Path, QType, Refusal, Trace, Workspace};

use crate::reference_q8::ReferenceQ8;

/// Scratch and the record of what ran: what every call of a session needs.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) ws: Workspace,
    pub(crate) trace: Trace,
}

/// Weights as they lie in the file: bytes, shape, and the proof that their type has a row.
#[derive(Clone, Copy)]
pub(crate) struct Raw<'a> {
    pub(crate) path: Path,
    pub(crate) qtype: QType,
    pub(crate) bytes: &'a [u8],
    pub(crate) rows: usize,
    pub(crate) cols: usize,
}

impl<'a> Raw<'a> {
    /// Asks for a matvec row of `ggml_type`, and `bytes` for as much as `[rows, cols]` of it takes.
    pub(crate) fn new<E: From<Refusal>>(
        ggml_type: u32,
        rows: usize,
        cols: usize,
        bytes: impl FnOnce(usize) -> Result<&'a [u8], E>,
    ) -> Result<Self, E> {
        let qtype = QType::from_ggml(ggml_type)?;
        let path = kreg::admit(Op::MatVec, Backend::Cpu, qtype)?;
        let bytes = bytes(qtype.byte_len(rows, cols)?)?;
        Ok(Self { path, qtype, bytes, rows, cols })
    }
}

/// A weight matrix `[rows, cols]` that multiplies activations.
pub(crate) enum Product<'a> {
    /// Through the kernel that kreg chose when the weights were bound.
    Kernel(Weights<'a>),
    /// Q8_0 in float64, on request of a test.
    Reference(ReferenceQ8<'a>),
}

impl<'a> Product<'a> {
    /// Chooses the kernel for `raw`, once. `reference_q8` is for Q8_0 alone.
    pub(crate) fn bind(device: &Device, raw: &Raw<'a>, reference_q8: bool) -> Result<Self, Refusal> {
        if reference_q8 {
            return Ok(Self::Reference(ReferenceQ8::new(raw.bytes, raw.cols)));
        }
        Ok(Self::Kernel(Weights::bind(device, raw.path, raw.bytes, raw.rows, raw.cols)?))
    }

    /// `y[i][r] = sum_k W[r][k] * x[i][k]` for every activation row of `x`.
    pub(crate) fn run(&self, x: &[f32], y: &mut [f32], run: &mut Run) -> Result<(), Refusal> {
        match self {
            Self::Kernel(weights) => run.trace.record(weights.matvec(x, y, &mut run.ws)?),
            Self::Reference(weights) => weights.matvec(x, y),
        }
        Ok(())
    }
}
