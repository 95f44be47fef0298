//! Weight matrices and what multiplies by them.

use kreg::cpu::Weights;
use kreg::{Backend, Op, Path, QType, Refusal, Trace, Workspace};

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

impl Run {
    /// `y[i][r] = sum_k W[r][k] * x[i][k]` for every activation row of `x`, by the kernel that was chosen when the
    /// weights were bound.
    pub(crate) fn product(&mut self, weights: &Weights<'_>, x: &[f32], y: &mut [f32]) -> Result<(), Refusal> {
        self.trace.record(weights.matvec(x, y, &mut self.ws)?);
        Ok(())
    }
}
