//! Everything that is no product with weights: one measurement per dispatch cell, against the float64 definition.

use kreg::KernelId;
use kreg::args::{AttentionShape, RopeStyle};
use kreg::cpu::{self, Device};
use kreg::kernels::reference::bound::{self, Builtins, F32};
use kreg::kernels::reference::workload::Random;
use kreg::kernels::reference::{self, Verdict, rope};
use kreg::kernels::{Refusal, Workspace};
use kreg_codegen::model::Row;
use serde_json::{Value, json};

use super::measure::Measured;
use super::sample;

/// Number of trials, each with a seed of its own.
const TRIALS: u64 = 8;
/// Seed of the first trial.
const SEED: u64 = 0x4539_0f00;
const EPS: f32 = 1e-5;
/// Width of the vectors, of a head, of keys and values.
const N: usize = 896;
const D: usize = 64;
const KV: usize = 128;

/// What measures a cell.
struct Op {
    /// `op`, or `op.variant`.
    cell: &'static str,
    formula: &'static str,
    workload: fn() -> Value,
    trial: fn(&mut Trial<'_>) -> Result<(), String>,
}

/// One trial: its inputs come from `rng`, its outputs go to `verdict`.
pub(super) struct Trial<'t> {
    pub(super) device: &'t Device,
    pub(super) id: KernelId,
    pub(super) rng: Random,
    pub(super) number: u64,
    pub(super) verdict: &'t mut Verdict,
}

const OPS: &[Op] = &[
    Op {
        cell: "rmsnorm",
        formula: "x*w/sqrt(mean(x^2)+eps)",
        workload: || json!({ "n": LENGTHS, "eps": EPS }),
        trial: rmsnorm,
    },
    Op {
        cell: "layernorm",
        formula: "(x-mean(x))*w/sqrt(var(x)+eps)+b",
        workload: || json!({ "n": LENGTHS, "eps": EPS }),
        trial: layernorm,
    },
    Op {
        cell: "rope",
        formula: "(a cos t-b sin t, a sin t+b cos t), t=pos*theta^(-2i/d)",
        workload: || json!({ "n": 512, "head_dim": 128, "theta": 1e6, "pos": POSITIONS, "styles": ["adjacent", "neox"] }),
        trial: turn,
    },
    Op {
        cell: "attention",
        formula: "sum_p softmax_p(scale*q.k_p)*v_p",
        workload: || json!({ "heads": N / D, "kv_heads": KV / D, "head_dim": D, "cache_below": 512, "softcap": [null, 30.0], "together": TOGETHER }),
        trial: attention,
    },
    Op {
        cell: "swiglu",
        formula: "g/(1+exp(-g))*u",
        workload: || json!({ "n": N, "g_within": WITHIN }),
        trial: swiglu,
    },
    Op {
        cell: "gelu",
        formula: "0.5*x*(1+tanh(sqrt(2/pi)*(x+0.044715*x^3)))",
        workload: || json!({ "n": N, "x_within": WITHIN }),
        trial: gelu,
    },
    Op { cell: "embed", formula: "E[token]", workload: || json!({ "n": KV, "tokens": 100 }), trial: embed },
    Op {
        cell: "kv_write",
        formula: "k_cache[pos]=k, v_cache[pos]=v",
        workload: || json!({ "n": KV, "positions": 100 }),
        trial: kv_write,
    },
    Op {
        cell: "residual_add",
        formula: "fl(h+d)",
        workload: || json!({ "n": N, "d": "U(-4,4)*2^-k, k<12" }),
        trial: residual_add,
    },
    Op {
        cell: "argmax",
        formula: "min{i:x_i=max x}",
        workload: || json!({ "n": [N, LONG], "ties": true }),
        trial: argmax,
    },
    Op {
        cell: "repeat_penalty",
        formula: "x_t<=0?fl(x_t*p):fl(x_t/p), once per distinct t",
        workload: || json!({ "n": N, "penalty": 1.3, "last_n": 32 }),
        trial: repeat_penalty,
    },
    Op {
        cell: "sample.topk",
        formula: sample::FORMULA,
        workload: sample::topk_workload,
        trial: sample::topk,
    },
    Op {
        cell: "sample.seeded",
        formula: sample::FORMULA,
        workload: sample::seeded_workload,
        trial: sample::seeded,
    },
];

/// Lengths that leave tails in any vector width.
const LENGTHS: [usize; 4] = [N, 1, 17, 4099];

/// Positions to turn to, one a trial.
const POSITIONS: [usize; TRIALS as usize] = [32_767, 8191, 2047, 511, 127, 31, 7, 1];
/// Cached positions, and those after them that are computed in one call: a tile and one more.
const TOGETHER: [usize; 2] = [600, 9];
/// Ranges of gates: those of models, and where `exp` of either sign is an f32.
const WITHIN: [f64; 2] = [8.0, 88.0];
/// A vocabulary longer than any yet.
const LONG: usize = (1 << 20) + 3;

/// Measures one op row.
pub(super) fn measure(row: &Row, device: &Device) -> Result<Measured, String> {
    let (_, name, variant) = row.cell();
    let cell = if variant.is_empty() { name.to_owned() } else { format!("{name}.{variant}") };
    let op = OPS.iter().find(|op| op.cell == cell).ok_or_else(|| format!("there is no oracle for {cell}"))?;
    if row.precision != "f32" {
        return Err(format!("there is no oracle for {cell} in {}", row.precision));
    }
    let id = KernelId::from_name(&row.id).ok_or("no such row in this program")?;
    let mut verdict = Verdict::default();
    for number in 0..TRIALS {
        let rng = Random::new(SEED + number);
        (op.trial)(&mut Trial { device, id, rng, number, verdict: &mut verdict })?;
    }
    let mut workload = (op.workload)();
    workload["seed"] = SEED.into();
    workload["trials"] = TRIALS.into();
    Ok(Measured {
        served: verdict.clone(),
        verdict,
        coarse: false,
        oracle: "f64_definition",
        identity: format!("f64_definition:{cell}:{}", op.formula),
        workload,
        fixture: Value::Null,
    })
}

impl Trial<'_> {
    /// Holds a call to its row.
    pub(super) fn ran(&self, answer: Result<KernelId, Refusal>) -> Result<(), String> {
        match answer {
            Ok(id) if id == self.id => Ok(()),
            Ok(other) => Err(format!("{other} ran in its place")),
            Err(refusal) => Err(refusal.to_string()),
        }
    }

    fn uniform(&mut self, n: usize, within: f64) -> Vec<f32> {
        (0..n).map(|_| self.rng.between(-within, within) as f32).collect()
    }

    /// Below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.rng.between(0.0, n as f64) as usize
    }

    /// Outputs that must be the definition's bits.
    fn exact(&mut self, got: &[f32], exact: &[f32]) {
        self.verdict.add(got, &widen(exact), &bound::exact(got.len()));
    }
}

fn widen(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| x.into()).collect()
}

fn undefined(why: bound::Undefined) -> String {
    why.to_string()
}

fn rmsnorm(t: &mut Trial<'_>) -> Result<(), String> {
    for n in LENGTHS {
        let (x, w) = (t.rng.activations(n), t.rng.activations(n));
        let mut y = vec![0.0; n];
        t.ran(cpu::rmsnorm(t.device, &x, &w, EPS, &mut y))?;
        let bounds = bound::rmsnorm(&x, &w, EPS, F32).map_err(undefined)?;
        t.verdict.add(&y, &reference::rmsnorm(&x, &w, EPS), &bounds);
    }
    Ok(())
}

fn layernorm(t: &mut Trial<'_>) -> Result<(), String> {
    for n in LENGTHS {
        let (x, w, b) = (t.rng.activations(n), t.rng.activations(n), t.rng.activations(n));
        let b = (!t.number.is_multiple_of(2)).then_some(&b[..]);
        let mut y = vec![0.0; n];
        t.ran(cpu::layernorm(t.device, &x, &w, b, EPS, &mut y))?;
        let bounds = bound::layernorm(&x, &w, b, EPS, F32).map_err(undefined)?;
        t.verdict.add(&y, &reference::layernorm(&x, &w, b, EPS), &bounds);
    }
    Ok(())
}

fn turn(t: &mut Trial<'_>) -> Result<(), String> {
    const HEAD: usize = 128;
    type Style = (RopeStyle, fn(&[f32], usize, usize, f32) -> Vec<f64>);
    let styles: [Style; 2] = [(RopeStyle::Adjacent, rope::adjacent), (RopeStyle::Neox, rope::neox)];
    for (style, definition) in styles {
        let (x, pos) = (t.rng.activations(512), POSITIONS[t.number as usize]);
        let mut y = x.clone();
        t.ran(cpu::rope(t.device, &mut y, HEAD, pos, 1e6, style))?;
        let bounds = bound::rope(&x, (HEAD, HEAD), pos, 1e6, style);
        t.verdict.add(&y, &definition(&x, HEAD, pos, 1e6), &bounds);
        let norms = |x: &[f32]| -> Vec<f64> {
            x.chunks(HEAD).map(|x| widen(x).iter().map(|x| x * x).sum::<f64>().sqrt()).collect()
        };
        let turned: Vec<f32> = norms(&y).iter().map(|n| *n as f32).collect();
        t.verdict.add(&turned, &norms(&x), &bound::turned_norms(&x, HEAD));
    }
    Ok(())
}

fn attention(t: &mut Trial<'_>) -> Result<(), String> {
    let (cached, m) = match t.number {
        0 => (0, 1),
        1 => (511, 1),
        2 => (TOGETHER[0], TOGETHER[1]),
        _ => (t.below(512), 1),
    };
    let softcap = (!t.number.is_multiple_of(2)).then_some(30.0);
    let shape = AttentionShape { heads: N / D, kv_heads: KV / D, head_dim: D, scale: 0.125, softcap };
    let q = t.rng.activations(m * N);
    let (keys, values) = (t.rng.activations((cached + m) * KV), t.rng.activations((cached + m) * KV));
    let ((k_cache, k), (v_cache, v)) = (keys.split_at(cached * KV), values.split_at(cached * KV));
    let mut out = vec![0.0; m * N];
    t.ran(cpu::attention(t.device, &q, k_cache, v_cache, k, v, shape, &mut out, &mut Workspace::new()))?;
    for (i, (q, out)) in q.chunks(N).zip(out.chunks(N)).enumerate() {
        let (keys, values) = (&keys[..(cached + i + 1) * KV], &values[..(cached + i + 1) * KV]);
        let ((kc, k), (vc, v)) = (keys.split_at((cached + i) * KV), values.split_at((cached + i) * KV));
        let exact = reference::attention(q, kc, vc, k, v, N / D, KV / D, shape.scale, softcap);
        let bounds = bound::attention(q, keys, values, shape, F32, &Builtins::CPU).map_err(undefined)?;
        t.verdict.add(out, &exact, &bounds);
    }
    Ok(())
}

fn swiglu(t: &mut Trial<'_>) -> Result<(), String> {
    for within in WITHIN {
        let (gate, up) = (t.uniform(N, within), t.rng.activations(N));
        let mut y = gate.clone();
        t.ran(cpu::swiglu(t.device, &mut y, &up))?;
        t.verdict.add(&y, &reference::swiglu(&gate, &up), &bound::swiglu(&gate, &up, &Builtins::CPU));
    }
    Ok(())
}

fn gelu(t: &mut Trial<'_>) -> Result<(), String> {
    for within in WITHIN {
        let x = t.uniform(N, within);
        let mut y = x.clone();
        t.ran(cpu::gelu(t.device, &mut y))?;
        t.verdict.add(&y, &reference::gelu(&x), &bound::gelu(&x, &Builtins::CPU));
    }
    Ok(())
}

fn embed(t: &mut Trial<'_>) -> Result<(), String> {
    let (table, token) = (t.rng.activations(100 * KV), t.below(100) as u32);
    let mut out = vec![0.0; KV];
    t.ran(cpu::embed(t.device, &table, token, &mut out))?;
    let exact = reference::embed(&table, token, KV).ok_or("the definition has no such token")?;
    t.exact(&out, &exact);
    Ok(())
}

fn kv_write(t: &mut Trial<'_>) -> Result<(), String> {
    let (k, v, pos) = (t.rng.activations(KV), t.rng.activations(KV), t.below(100));
    let (before_k, before_v) = (t.rng.activations(100 * KV), t.rng.activations(100 * KV));
    let (mut k_cache, mut v_cache) = (before_k.clone(), before_v.clone());
    t.ran(cpu::kv_write(t.device, &k, &v, pos, &mut k_cache, &mut v_cache))?;
    for (got, before, row) in [(&k_cache, &before_k, &k), (&v_cache, &before_v, &v)] {
        let exact = reference::kv_write(before, row, pos).ok_or("the definition has no such position")?;
        t.exact(got, &exact);
    }
    Ok(())
}

fn residual_add(t: &mut Trial<'_>) -> Result<(), String> {
    let h = t.rng.activations(N);
    let d: Vec<f32> =
        t.uniform(N, 4.0).iter().enumerate().map(|(i, d)| d * 0.5f32.powi(i as i32 % 12)).collect();
    let mut y = h.clone();
    t.ran(cpu::residual_add(t.device, &mut y, &d))?;
    let exact = reference::residual_add(&h, &d);
    t.exact(&y, &exact);
    Ok(())
}

fn argmax(t: &mut Trial<'_>) -> Result<(), String> {
    for (n, top) in [(N, 9.0), (LONG, 1.0)] {
        let mut x = t.uniform(n, top);
        // Ties, the last of them late, and NaN beside the largest.
        let (a, b) = (n - 1 - t.below(n / 16), n - 1 - t.below(n / 4));
        (x[a], x[b]) = (top as f32, top as f32);
        let nan = t.below(n);
        if nan != a && nan != b {
            x[nan] = f32::NAN;
        }
        let (token, id) = cpu::argmax(t.device, &x).map_err(|e| e.to_string())?;
        t.ran(Ok(id))?;
        t.exact(&[token as f32], &[reference::argmax(&x) as f32]);
    }
    Ok(())
}

fn repeat_penalty(t: &mut Trial<'_>) -> Result<(), String> {
    let x = t.rng.activations(N);
    let context: Vec<u32> = (0..100).map(|_| t.below(N + 7) as u32).collect();
    let mut y = x.clone();
    t.ran(cpu::repeat_penalty(t.device, &mut y, &context, 32, 1.3, &mut Workspace::new()))?;
    let exact = reference::repeat_penalty(&x, &context, 32, 1.3);
    t.exact(&y, &exact);
    Ok(())
}
