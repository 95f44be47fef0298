//! A hybrid model of the Qwen3.5 kind, op by op on the CUDA dispatch, over 16 decode steps against its definition in
//! float64; then the same step captured in a graph and replayed, also past the capacity of its cache.
#![cfg(feature = "cuda")]
#![allow(unreachable_pub, reason = "a test crate has no users")]

mod engine;
mod exact;
#[path = "../support/gpu.rs"]
mod gpu;
mod model;

use kreg::cuda::cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use kreg::cuda::{self, Position};

use engine::Engine;
use exact::State;
use gpu::{Gpu, close, gpu};
use model::Model;

const STEPS: usize = 16;

/// The tokens of the text: any will do.
fn token(step: usize) -> usize {
    step * 17 % model::VOCABULARY
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// Logits of each step, positions and tokens given by the host.
fn by_value(gpu: &Gpu, model: &Model) -> Vec<Vec<f32>> {
    let mut engine = Engine::new(gpu, model, STEPS);
    let step = |pos| {
        engine.step(&gpu.device, Position::Value(token(pos)), Position::Value(pos));
        let logits = gpu.down(&engine.logits);
        let best = logits.iter().copied().fold(f32::MIN, f32::max);
        let first = logits.iter().position(|l| *l == best).unwrap();
        assert_eq!(gpu.down(&engine.token), [first as u32]);
        logits
    };
    (0..STEPS).map(step).collect()
}

#[test]
fn sixteen_steps_are_the_definition() {
    let Some(gpu) = gpu() else { return };
    let model = Model::new(35);
    let mut state = State::new();
    let exact: Vec<Vec<f64>> = (0..STEPS).map(|pos| state.step(&model, token(pos))).collect();
    for (pos, (got, exact)) in by_value(&gpu, &model).iter().zip(&exact).enumerate() {
        close(&format!("step {pos}"), got, exact, 1e-5);
    }
    // The states matter: without them the last step's logits are others.
    let alone = State::new().step(&model, token(STEPS - 1));
    let differ = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(differ(&alone, &exact[STEPS - 1]) > 0.1);
    assert_eq!(gpu.device.fault(), Ok(()));
}

#[test]
fn a_captured_step_serves_every_position_and_no_more() {
    let Some(gpu) = gpu() else { return };
    let model = Model::new(35);
    let by_value = by_value(&gpu, &model);
    let mut engine = Engine::new(&gpu, &model, STEPS);
    let (mut token_at, mut pos_at) = (gpu.up(&[0u32]), gpu.up(&[0u32]));
    cuda::preload(&gpu.device).unwrap();

    let stream = &gpu.stream;
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    let (token_view, pos_view) = (token_at.as_view(), pos_at.as_view());
    engine.step(&gpu.device, Position::At(&token_view), Position::At(&pos_view));
    let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = stream.end_capture(flags).unwrap().expect("a graph");

    for (pos, want) in by_value.iter().enumerate() {
        stream.memcpy_htod(&[token(pos) as u32], &mut token_at).unwrap();
        stream.memcpy_htod(&[pos as u32], &mut pos_at).unwrap();
        graph.launch().unwrap();
        assert_eq!(bits(&gpu.down(&engine.logits)), bits(want), "step {pos}");
    }
    assert_eq!(gpu.device.fault(), Ok(()));

    let states = |engine: &Engine| engine.states.each_ref().map(|state| bits(&gpu.down(state)));
    let before = states(&engine);
    for pos in [STEPS as u32, u32::MAX] {
        stream.memcpy_htod(&[pos], &mut pos_at).unwrap();
        graph.launch().unwrap();
        assert_eq!(gpu.device.fault().unwrap_err().code(), "KR-D08");
        assert!(states(&engine) == before, "position {pos} has changed a state");
    }
    // The fault has been read, so the graph works again.
    stream.memcpy_htod(&[STEPS as u32 - 1], &mut pos_at).unwrap();
    graph.launch().unwrap();
    assert_eq!(gpu.device.fault(), Ok(()));
    assert!(states(&engine) != before);
}
