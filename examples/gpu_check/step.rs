//! The attention half of a decode step, captured in a graph and replayed at other positions: same bits as when each call
//! is made by the host, and a position past the cache's end refused without a write.

use kreg::args::AttentionShape;
use kreg::cuda::cudarc::driver::CudaSlice;
use kreg::cuda::cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use kreg::cuda::{self, Position, Weights};
use kreg::kernels::reference::decode::format;
use kreg::kernels::reference::workload::{Codes, Random, Scales};
use kreg::{Refusal, path};
use serde_json::{Value, json};

use super::gpu::{Gpu, driver};

const N: usize = 512;
const D: usize = 64;
const MAX: usize = 64;
const SHAPE: AttentionShape =
    AttentionShape { heads: N / D, kv_heads: N / D, head_dim: D, scale: 0.125, softcap: None };

/// Everything that a step reads and writes.
struct Step<'w> {
    weights: Weights<'w>,
    x: CudaSlice<f32>,
    scale: CudaSlice<f32>,
    normed: CudaSlice<f32>,
    q: CudaSlice<f32>,
    k_cache: CudaSlice<f32>,
    v_cache: CudaSlice<f32>,
    out: CudaSlice<f32>,
}

impl Step<'_> {
    fn run(&mut self, gpu: &Gpu, pos: Position<'_>) -> Result<(), Refusal> {
        let d = &gpu.device;
        cuda::rmsnorm(d, &self.x.as_view(), &self.scale.as_view(), 1e-5, &mut self.normed.as_view_mut())?;
        self.weights.gemv(d, &self.normed.as_view(), &mut self.q.as_view_mut())?;
        cuda::rope::neox(d, &mut self.q.as_view_mut(), D, pos, 1e4)?;
        let (k, v) = (self.q.as_view(), self.normed.as_view());
        let (k_cache, v_cache) = (&mut self.k_cache.as_view_mut(), &mut self.v_cache.as_view_mut());
        cuda::kv_write(d, &k, &v, pos, D, k_cache, v_cache)?;
        let (k_cache, v_cache) = (self.k_cache.as_view(), self.v_cache.as_view());
        cuda::attention(d, &k, &k_cache, &v_cache, pos, SHAPE, &mut self.out.as_view_mut())?;
        Ok(())
    }
}

/// Runs it both ways.
///
/// # Errors
/// A refusal, or results that differ.
pub(crate) fn check(gpu: &Gpu) -> Result<Value, Box<dyn std::error::Error>> {
    let mut random = Random::new(11);
    let format = format("Q4_K").ok_or("no decoder of Q4_K")?;
    let bytes = gpu.up(&format.matrix(N, N, Codes::Random, Scales::Sane, &mut random))?;
    let zeros = |n: usize| gpu.stream.alloc_zeros::<f32>(n).map_err(driver);
    let mut step = Step {
        weights: Weights::bind(&gpu.device, path!(Gemv, Cuda, Q4_K), bytes.as_view(), N, N)?,
        x: gpu.up(&random.activations(N))?,
        scale: gpu.up(&[1.0; N])?,
        normed: zeros(N)?,
        q: zeros(N)?,
        k_cache: zeros(MAX * N)?,
        v_cache: zeros(MAX * N)?,
        out: zeros(N)?,
    };
    cuda::preload(&gpu.device)?;
    let mut expected = Vec::new();
    for pos in 0..MAX {
        step.run(gpu, Position::Value(pos))?;
        expected.push(gpu.down(&step.out)?);
    }
    let by_host = gpu.seconds(|| step.run(gpu, Position::Value(MAX - 1)))?;

    let mut at = gpu.up(&[0u32])?;
    gpu.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).map_err(driver)?;
    step.run(gpu, Position::At(&at.as_view()))?;
    let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = gpu.stream.end_capture(flags).map_err(driver)?.ok_or("nothing was captured")?;
    gpu.stream.memset_zeros(&mut step.k_cache).map_err(driver)?;
    gpu.stream.memset_zeros(&mut step.v_cache).map_err(driver)?;
    for (pos, expected) in expected.iter().enumerate() {
        gpu.stream.memcpy_htod(&[pos as u32], &mut at).map_err(driver)?;
        graph.launch().map_err(driver)?;
        let got = gpu.down(&step.out)?;
        if got.iter().map(|x| x.to_bits()).ne(expected.iter().map(|x| x.to_bits())) {
            return Err(format!("the graph's results at position {pos} are others").into());
        }
    }
    let replayed = gpu.seconds(|| graph.launch().map_err(driver))?;
    gpu.stream.memcpy_htod(&[MAX as u32], &mut at).map_err(driver)?;
    graph.launch().map_err(driver)?;
    if !matches!(gpu.device.fault(), Err(Refusal::Fault { .. })) {
        return Err("a position past the end of the cache was not refused".into());
    }
    println!("\na step of five calls: {:.1} us, as a graph {:.1} us", by_host * 1e6, replayed * 1e6);
    Ok(json!({ "us": by_host * 1e6, "us_as_graph": replayed * 1e6 }))
}
