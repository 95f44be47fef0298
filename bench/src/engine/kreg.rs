//! kreg, as an engine would use it: every call of a turn inside one `step`.

use std::iter::Cycle;
use std::ops::Range;

use kreg::kernels::cpu::step;
use kreg::{Backend, KernelId, Op, Workspace, admit, cpu};

use super::{Budget, Engine, Matrix};
use crate::Error;

/// kreg's row for a matrix.
pub struct Kreg<'p, 'w> {
    pool: &'p rayon::ThreadPool,
    kernel: KernelId,
    weights: Vec<cpu::Weights<'w>>,
    next: Cycle<Range<usize>>,
    ws: Workspace,
    y: Vec<f32>,
}

impl<'p, 'w> Kreg<'p, 'w> {
    /// Binds `copies`, each the bytes of `matrix`, on this CPU; `KREG_ISA` restricts it as everywhere.
    ///
    /// # Errors
    /// kreg's refusal.
    pub fn new(pool: &'p rayon::ThreadPool, matrix: &Matrix, copies: &'w [Vec<u8>]) -> Result<Self, Error> {
        let device = cpu::Device::host()?;
        let path = admit(Op::MatVec, Backend::Cpu, matrix.qtype)?;
        let bind = |bytes| cpu::Weights::bind(&device, path, bytes, matrix.rows, matrix.cols);
        let weights = copies.iter().map(|bytes| bind(bytes)).collect::<Result<Vec<_>, _>>()?;
        let kernel = path.select(device.target())?;
        let next = (0..weights.len()).cycle();
        Ok(Self { pool, kernel, weights, next, ws: Workspace::new(), y: Vec::new() })
    }

    /// The row that runs.
    pub fn kernel(&self) -> KernelId {
        self.kernel
    }
}

impl Engine for Kreg<'_, '_> {
    fn name(&self) -> &'static str {
        "kreg"
    }

    fn what(&self) -> String {
        self.kernel.as_str().into()
    }

    fn turn(&mut self, x: &[f32], budget: &Budget) -> Result<Vec<f64>, Error> {
        let Self { pool, weights, next, ws, y, .. } = self;
        y.resize(x.len() / weights[0].cols() * weights[0].rows(), 0.0);
        let mut call = || {
            let i = next.next().unwrap_or_default();
            weights[i].matvec(x, y, ws).map(drop).map_err(Error::from)
        };
        // An error is not `Send`; its sentence is.
        let turn = || step(|| budget.sample(&mut call).map_err(|why| why.to_string()));
        Ok(pool.install(turn)?)
    }

    fn output(&self) -> Result<Vec<f32>, Error> {
        Ok(self.y.clone())
    }
}
