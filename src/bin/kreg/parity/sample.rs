//! Samplers: not the tokens are compared but the break points, the values of `r` at which the drawn token changes.

use std::sync::OnceLock;

use kreg::args::SampleRng;
use kreg::cpu;
use kreg::kernels::Workspace;
use kreg::kernels::reference::bound::{self, Builtins, F32};
use kreg::kernels::reference::sample::{Generator, breakpoints};
use serde_json::{Value, json};

use super::ops::Trial;

pub(super) const FORMULA: &str = "x/T, top k, top p, cumulative softmax";

const N: usize = 256;
const T: f32 = 0.7;
const K: usize = 40;
const TOP_P: f32 = 0.9;
/// Seeds among which the seeded sampler's draws are looked up.
const SEEDS: u64 = 1 << 17;

pub(super) fn topk_workload() -> Value {
    json!({ "n": N, "temperature": T, "top_k": K, "top_p": 1.0 })
}

pub(super) fn seeded_workload() -> Value {
    json!({ "n": N, "temperature": T, "top_k": K, "top_p": TOP_P, "draws": SEEDS })
}

/// The sampler that takes `r`: break points to the next f32.
pub(super) fn topk(t: &mut Trial<'_>) -> Result<(), String> {
    let logits = t.rng.activations(N);
    let exact = breakpoints(&logits, T, K, 1.0);
    let mut ws = Workspace::new();
    let one = 1.0f32.to_bits();
    let trial = &*t;
    let mut drawn = |at: u64| {
        let r = f32::from_bits(at as u32);
        let (token, id) =
            cpu::sample::topk(trial.device, &logits, T, K, r, &mut ws).map_err(|e| e.to_string())?;
        trial.ran(Ok(id)).map(|()| token)
    };
    let found = changes(&exact, u64::from(one), &mut drawn, &|at| f64::from(f32::from_bits(at as u32)))?;
    judge(t, &logits, &exact, &found)
}

/// The sampler that draws `r` itself: break points between the draws of known seeds.
pub(super) fn seeded(t: &mut Trial<'_>) -> Result<(), String> {
    static DRAWS: OnceLock<Vec<(f64, u64)>> = OnceLock::new();
    let draws = DRAWS.get_or_init(|| {
        let mut draws: Vec<(f64, u64)> = (0..SEEDS).map(|seed| (Generator::new(seed).draw(), seed)).collect();
        draws.sort_by(|a, b| a.0.total_cmp(&b.0));
        draws
    });
    let logits = t.rng.activations(N);
    let exact = breakpoints(&logits, T, K, TOP_P);
    let mut ws = Workspace::new();
    let trial = &*t;
    let mut drawn = |at: u64| {
        let mut rng = SampleRng::new(draws[at as usize].1);
        let answer = cpu::sample::seeded(trial.device, &logits, T, K, TOP_P, &mut rng, &mut ws);
        let (token, id) = answer.map_err(|e| e.to_string())?;
        trial.ran(Ok(id)).map(|()| token)
    };
    let value = |at: u64| draws.get(at as usize).map_or(1.0, |draw| draw.0);
    let found = changes(&exact, SEEDS, &mut drawn, &value)?;
    judge(t, &logits, &exact, &found)
}

/// For each token but the last, the place where it and those before it stop being drawn: the middle between the last
/// such value of `r` and the next one, and half their distance. `r` grows with the index, which is below `end`.
fn changes(
    exact: &[(u32, f64)],
    end: u64,
    drawn: &mut dyn FnMut(u64) -> Result<u32, String>,
    value: &dyn Fn(u64) -> f64,
) -> Result<Vec<(f64, f64)>, String> {
    let mut found = Vec::new();
    for last in 0..exact.len().saturating_sub(1) {
        let (mut low, mut high) = (0, end);
        // Everything below `low` draws one of the tokens up to `last`; nothing from `high` on does.
        while low < high {
            let middle = low + (high - low) / 2;
            let token = drawn(middle)?;
            // A token that the definition does not keep comes after all that it does.
            let place = exact.iter().position(|(t, _)| *t == token).unwrap_or(exact.len());
            if place <= last { low = middle + 1 } else { high = middle }
        }
        let (before, after) = (value(low.saturating_sub(1)), value(low));
        found.push(((before + after) / 2.0, (after - before) / 2.0));
    }
    Ok(found)
}

fn judge(
    t: &mut Trial<'_>,
    logits: &[f32],
    exact: &[(u32, f64)],
    found: &[(f64, f64)],
) -> Result<(), String> {
    let bounds = bound::breakpoints(logits, T, exact, F32, &Builtins::CPU).map_err(|e| e.to_string())?;
    let got: Vec<f32> = found.iter().map(|f| f.0 as f32).collect();
    let exact: Vec<f64> = exact.iter().map(|e| e.1).take(found.len()).collect();
    let bounds: Vec<f64> = bounds.iter().zip(found).map(|(bound, (_, half))| bound + half).collect();
    t.verdict.add(&got, &exact, &bounds);
    Ok(())
}
