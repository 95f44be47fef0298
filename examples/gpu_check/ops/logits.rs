//! Ops on logits: one on the device, and those that run on the host.

use kreg::args::SampleRng;
use kreg::cuda;
use kreg::cuda::cudarc::driver::CudaSlice;
use kreg::kernels::Workspace;
use kreg::kernels::reference::sample::{Generator, breakpoints, draw};
use kreg::kernels::reference::{self, bound};

use super::{Bench, Case, Failed};
use crate::bounds::{self, widen};

pub(super) const CASES: [Case; 7] = [
    Case { id: "cuda.argmax.f32", formula: "min{i:x_i=max x}", measure: argmax },
    Case { id: "cuda.argmax.host.f32", formula: "min{i:x_i=max x}", measure: argmax_host },
    Case {
        id: "cuda.repeat_penalty.host.f32",
        formula: "x_t<=0?fl(x_t*p):fl(x_t/p), once per distinct t",
        measure: repeat_penalty,
    },
    Case {
        id: "cuda.route_topk.host.f32",
        formula: "softmax over the 8 largest, largest first",
        measure: route,
    },
    Case { id: "cuda.sample.host.f32", formula: "repeat_penalty, then as host_seeded", measure: sample },
    Case {
        id: "cuda.sample.host_seeded.f32",
        formula: "the token whose share of [0,1) holds r",
        measure: seeded,
    },
    Case { id: "cuda.sample.host_topk.f32", formula: "one of the k largest", measure: topk },
];

/// Penalty, temperature, top-k and top-p of the samplers.
const PENALTY: f32 = 1.3;
const TEMPERATURE: f32 = 0.8;
const TOP_K: usize = 40;
const TOP_P: f32 = 0.9;
/// Tokens that a penalty looks back on.
const LAST: usize = 64;
const SEED: u64 = 42;

/// Holds a token to the right one.
fn token(b: &mut Bench<'_>, got: u32, exact: u32) -> Result<(), Failed> {
    b.hold_host(&[got as f32], &[exact.into()], &bound::exact(1))
}

fn argmax(b: &mut Bench<'_>) -> Result<(), Failed> {
    let (x, dx) = b.numbers(b.sizes.vocabulary)?;
    let (mut index, device) = (b.gpu.up(&[u32::MAX])?, &b.gpu.device);
    let run = |index: &mut CudaSlice<u32>| cuda::argmax(device, &dx.as_view(), &mut index.as_view_mut());
    b.measure(&mut index, run, |b, index| {
        let got = b.gpu.down(index)?;
        token(b, got[0], reference::argmax(&x))
    })
}

fn argmax_host(b: &mut Bench<'_>) -> Result<(), Failed> {
    let (x, device) = (b.random.activations(b.sizes.vocabulary), &b.gpu.device);
    let run = |got: &mut u32| {
        let (token, id) = cuda::argmax::host(device, &x)?;
        *got = token;
        Ok(id)
    };
    b.measure(&mut 0, run, |b, got| token(b, *got, reference::argmax(&x)))
}

/// Logits, tokens before, and the logits after a penalty for those.
fn penalised(b: &mut Bench<'_>) -> (Vec<f32>, Vec<u32>, Vec<f32>) {
    let n = b.sizes.vocabulary;
    let logits: Vec<f32> = b.random.activations(n).iter().map(|x| 3.0 * x).collect();
    let context: Vec<u32> = (0..90).map(|i| i * 37 % (n as u32 + 3)).collect();
    let exact = reference::repeat_penalty(&logits, &context, LAST, PENALTY);
    (logits, context, exact)
}

fn repeat_penalty(b: &mut Bench<'_>) -> Result<(), Failed> {
    let (logits, context, exact) = penalised(b);
    let (mut ws, mut got, device) = (Workspace::new(), logits.clone(), &b.gpu.device);
    let run = |x: &mut Vec<f32>| {
        x.copy_from_slice(&logits);
        cuda::repeat_penalty::host(device, x, &context, LAST, PENALTY, &mut ws)
    };
    b.measure(&mut got, run, |b, got| b.hold_host(got, &widen(&exact), &bound::exact(exact.len())))
}

fn route(b: &mut Bench<'_>) -> Result<(), Failed> {
    const CHOSEN: usize = 8;
    let (logits, device) = (b.random.activations(128), &b.gpu.device);
    let run = |(experts, weights): &mut ([u32; CHOSEN], [f32; CHOSEN])| {
        cuda::route_topk::host(device, &logits, experts, weights)
    };
    b.measure(&mut ([0; CHOSEN], [0.0; CHOSEN]), run, |b, (experts, weights)| {
        let (tokens, exact): (Vec<u32>, Vec<f64>) =
            reference::route_topk(&logits, CHOSEN).into_iter().unzip();
        for (got, exact) in experts.iter().zip(tokens) {
            token(b, *got, exact)?;
        }
        b.hold_host(weights, &exact, &bounds::route(&logits, &exact)?)
    })
}

fn seeded(b: &mut Bench<'_>) -> Result<(), Failed> {
    let logits: Vec<f32> = penalised(b).0;
    let (mut rng, mut ws, device) = (SampleRng::new(SEED), Workspace::new(), &b.gpu.device);
    let run = |got: &mut u32| {
        let (token, id) =
            cuda::sample::host_seeded(device, &logits, TEMPERATURE, TOP_K, TOP_P, &mut rng, &mut ws)?;
        *got = token;
        Ok(id)
    };
    b.measure(&mut 0, run, |b, got| {
        let exact = breakpoints(&logits, TEMPERATURE, TOP_K, TOP_P);
        token(b, *got, draw(&exact, Generator::new(SEED).draw()))
    })
}

fn sample(b: &mut Bench<'_>) -> Result<(), Failed> {
    let (logits, context, exact) = penalised(b);
    let (mut rng, mut ws, device) = (SampleRng::new(SEED), Workspace::new(), &b.gpu.device);
    let run = |(x, got): &mut (Vec<f32>, u32)| {
        x.copy_from_slice(&logits);
        let (token, id) = cuda::sample::host(
            device,
            x,
            &context,
            LAST,
            PENALTY,
            TEMPERATURE,
            TOP_K,
            TOP_P,
            &mut rng,
            &mut ws,
        )?;
        *got = token;
        Ok(id)
    };
    b.measure(&mut (logits.clone(), 0), run, |b, (x, got)| {
        b.hold_host(x, &widen(&exact), &bound::exact(exact.len()))?;
        let shares = breakpoints(&exact, TEMPERATURE, TOP_K, TOP_P);
        token(b, *got, draw(&shares, Generator::new(SEED).draw()))
    })
}

/// Its numbers come from the operating system: what can be held is that the token is one of the k largest.
fn topk(b: &mut Bench<'_>) -> Result<(), Failed> {
    let (logits, _, _) = penalised(b);
    let (mut ws, device) = (Workspace::new(), &b.gpu.device);
    let run = |got: &mut u32| {
        let (token, id) = cuda::sample::host_topk(device, &logits, TEMPERATURE, TOP_K, &mut ws)?;
        *got = token;
        Ok(id)
    };
    b.measure(&mut 0, run, |b, got| {
        let allowed = breakpoints(&logits, TEMPERATURE, TOP_K, 1.0);
        let exact = allowed.iter().find(|(token, _)| token == got).ok_or("not one of the k largest")?;
        token(b, *got, exact.0)
    })
}
