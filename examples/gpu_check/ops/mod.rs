//! Every cuda row without weights: once against its definition, then timed. The rows are the registry's: one without a
//! case here fails the check, and so does a case without a row.

mod heads;
mod logits;
mod sequence;
mod state;
mod vectors;

use kreg::cuda::cudarc::driver::CudaSlice;
use kreg::kernels::reference::Verdict;
use kreg::kernels::reference::workload::Random;
use kreg::{Backend, KernelId, Refusal};
use serde_json::{Value, json};

use super::gpu::Gpu;
use super::receipt::Measured;

/// What can go wrong.
pub(crate) type Failed = Box<dyn std::error::Error>;

/// How one row is measured.
struct Case {
    id: &'static str,
    formula: &'static str,
    measure: fn(&mut Bench<'_>) -> Result<(), Failed>,
}

/// A case of every row.
const CASES: [&[Case]; 5] = [&vectors::CASES, &heads::CASES, &sequence::CASES, &state::CASES, &logits::CASES];

/// Sizes of a case.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    /// Model width, width of keys and values, of a head.
    pub(crate) n: usize,
    pub(crate) kv: usize,
    pub(crate) d: usize,
    /// Positions of a cache.
    pub(crate) max: usize,
    pub(crate) vocabulary: usize,
}

impl Sizes {
    /// Those of a model with 8 billion parameters, or what an emulator bears.
    const fn new(small: bool) -> Self {
        match small {
            false => Self { n: 4096, kv: 1024, d: 128, max: 2048, vocabulary: 131_072 },
            true => Self { n: 512, kv: 128, d: 64, max: 160, vocabulary: 3000 },
        }
    }
}

/// The measurement of one row.
pub(crate) struct Bench<'g> {
    pub(crate) gpu: &'g Gpu,
    pub(crate) random: Random,
    pub(crate) sizes: Sizes,
    id: KernelId,
    verdict: Verdict,
    seconds: f64,
}

/// What came of it.
pub(crate) struct Found {
    id: KernelId,
    formula: &'static str,
    verdict: Verdict,
    sizes: Sizes,
    micros: f64,
}

/// Seed of a row's inputs.
const SEED: u64 = 7;

impl Bench<'_> {
    /// Runs `call` on `outputs`, holds the results to their definition by `judge`, then times more such calls.
    pub(crate) fn measure<S>(
        &mut self,
        outputs: &mut S,
        mut call: impl FnMut(&mut S) -> Result<KernelId, Refusal>,
        judge: impl FnOnce(&mut Self, &S) -> Result<(), Failed>,
    ) -> Result<(), Failed> {
        let ran = call(outputs)?;
        if ran != self.id {
            return Err(format!("{ran} ran in the place of {}", self.id).into());
        }
        self.gpu.device.fault()?;
        judge(self, outputs)?;
        self.seconds = self.gpu.seconds(|| call(outputs).map(|_| ()))?;
        Ok(())
    }

    /// Holds results on the device to exact values, each within its bound.
    pub(crate) fn hold(&mut self, got: &CudaSlice<f32>, exact: &[f64], bounds: &[f64]) -> Result<(), Failed> {
        let got = self.gpu.down(got)?;
        self.hold_host(&got, exact, bounds)
    }

    /// The same for results on the host.
    pub(crate) fn hold_host(&mut self, got: &[f32], exact: &[f64], bounds: &[f64]) -> Result<(), Failed> {
        if got.len() != exact.len() || got.len() != bounds.len() {
            return Err(format!("{} results, {} exact", got.len(), exact.len()).into());
        }
        self.verdict.add(got, exact, bounds);
        Ok(())
    }

    /// `n` seeded numbers on both sides.
    pub(crate) fn numbers(&mut self, n: usize) -> Result<(Vec<f32>, CudaSlice<f32>), Refusal> {
        let x = self.random.activations(n);
        let on_device = self.gpu.up(&x)?;
        Ok((x, on_device))
    }

    /// `n` floats that no kernel has written.
    pub(crate) fn fresh(&self, n: usize) -> Result<CudaSlice<f32>, Refusal> {
        self.gpu.up(&vec![f32::NAN; n])
    }
}

impl Found {
    /// For the report.
    pub(crate) fn json(&self) -> Value {
        let max_rel_err = self.verdict.max_rel();
        json!({ "kernel_id": self.id.as_str(), "max_margin": self.verdict.max().0, "max_rel_err": max_rel_err, "us": self.micros })
    }

    /// For the row's receipt.
    pub(crate) fn receipt(&self) -> Measured<'_> {
        let Sizes { n, kv, d, max, vocabulary } = self.sizes;
        Measured {
            id: self.id,
            precision: "f32",
            verdict: &self.verdict,
            served: &self.verdict,
            oracle: ["f64_definition", self.formula],
            workload: json!({ "n": n, "kv": kv, "head_dim": d, "max_len": max, "vocabulary": vocabulary, "seed": SEED, "trials": 1 }),
        }
    }
}

/// Runs, compares and times each row.
///
/// # Errors
/// A row without a case or a case without a row, a refusal, or a result outside its bound.
pub(crate) fn all(gpu: &Gpu) -> Result<Vec<Found>, Failed> {
    println!("\n{:32} {:>9} {:>10} {:>10}", "row", "margin", "rel. err.", "us");
    let rows =
        || KernelId::ALL.into_iter().filter(|id| id.backend() == Backend::Cuda && id.qtype().is_none());
    let cases = || CASES.into_iter().flatten();
    if let Some(case) = cases().find(|case| !rows().any(|id| id.as_str() == case.id)) {
        return Err(format!("{}: the registry has no such row", case.id).into());
    }
    let sizes = Sizes::new(gpu.small);
    let mut all = Vec::new();
    for id in rows() {
        let case = cases().find(|case| case.id == id.as_str());
        let case = case.ok_or_else(|| format!("{id}: gpu_check has no case of this row"))?;
        let (random, verdict) = (Random::new(SEED), Verdict::default());
        let mut bench = Bench { gpu, random, sizes, id, verdict, seconds: 0.0 };
        (case.measure)(&mut bench).map_err(|why| format!("{id}: {why}"))?;
        let Bench { verdict, seconds, .. } = bench;
        let found = Found { id, formula: case.formula, verdict, sizes, micros: seconds * 1e6 };
        let (margin, error) = (found.verdict.max().0, found.verdict.max_rel());
        println!("{:32} {margin:9.3} {error:10.1e} {:10.1}", id.as_str(), found.micros);
        found.verdict.pass().map_err(|failure| format!("{id}: {failure}"))?;
        all.push(found);
    }
    Ok(all)
}
