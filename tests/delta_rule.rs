//! The gated delta rule against its unrolled form: the definition in float64, and the kernel on a device.
//!
//! A step maps a row `s` of the state to `s A + beta v k^T`, where `A = exp(g) (I - beta k k^T)`. So after T steps it is
//! `s A_1 … A_T` and, for each step t, `beta_t v_t k_t^T A_{t+1} … A_T`: products of matrices, with no state between steps.

#[cfg(feature = "cuda")]
#[path = "support/gpu.rs"]
mod gpu;

use kreg::kernels::reference;
use kreg::kernels::reference::workload::Random;
use proptest::prelude::*;

/// Value heads a key head, key heads, widths of keys and of values.
#[derive(Clone, Copy, Debug)]
struct Shape {
    group: usize,
    nk: usize,
    dk: usize,
    dv: usize,
}

/// The inputs of one step.
struct Step {
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
    beta: Vec<f32>,
    g: Vec<f32>,
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn shapes(dk: std::ops::Range<usize>) -> impl Strategy<Value = Shape> {
    (1usize..4, 1usize..3, dk, 1usize..20).prop_map(|(group, nk, dk, dv)| Shape { group, nk, dk, dv })
}

impl Shape {
    fn nv(self) -> usize {
        self.group * self.nk
    }

    /// Keys of length about one, as the layer normalises them: the state then does not grow.
    fn step(self, rng: &mut Random) -> Step {
        let Self { nk, dk, dv, .. } = self;
        let keys: Vec<f32> = rng.activations(nk * dk);
        let length = |head: &[f32]| head.iter().map(|x| x * x).sum::<f32>().sqrt() + 1e-3;
        let k = keys.chunks(dk).flat_map(|head| head.iter().map(|x| x / length(head))).collect();
        let (q, v) = (rng.activations(nk * dk), rng.activations(self.nv() * dv));
        let mut numbers = |low, high| (0..self.nv()).map(|_| rng.between(low, high) as f32).collect();
        Step { q, k, v, beta: numbers(0.0, 1.0), g: numbers(-3.0, 0.0) }
    }

    /// Output and state after all steps.
    fn unrolled(self, steps: &[Step], start: &[f32]) -> (Vec<f64>, Vec<f64>) {
        let Self { nk, dk, dv, .. } = self;
        let (mut out, mut state) = (Vec::new(), Vec::new());
        for h in 0..self.nv() {
            let key =
                |step: &Step| -> Vec<f64> { step.k[h % nk * dk..][..dk].iter().map(|&k| k.into()).collect() };
            // From the last step back, `tail` is the product of the matrices behind step t.
            let mut tail: Vec<f64> = (0..dk * dk).map(|i| f64::from(u8::from(i / dk == i % dk))).collect();
            let mut rows = vec![vec![0.0; dk]; dv];
            for step in steps.iter().rev() {
                let (k, beta) = (key(step), f64::from(step.beta[h]));
                let seen = times(&k, &tail);
                for (row, v) in rows.iter_mut().zip(&step.v[h * dv..][..dv]) {
                    row.iter_mut().zip(&seen).for_each(|(s, seen)| *s += beta * f64::from(*v) * seen);
                }
                let decay = f64::from(step.g[h]).exp();
                let a = |i: usize, j: usize| decay * (f64::from(u8::from(i == j)) - beta * k[i] * k[j]);
                tail = (0..dk)
                    .flat_map(|i| times(&(0..dk).map(|j| a(i, j)).collect::<Vec<_>>(), &tail))
                    .collect();
            }
            let q = &steps.last().unwrap().q[h % nk * dk..][..dk];
            for (i, row) in rows.iter().enumerate() {
                let first: Vec<f64> =
                    start[(h * dv + i) * dk..][..dk].iter().map(|&s| f64::from(s)).collect();
                let s: Vec<f64> = times(&first, &tail).iter().zip(row).map(|(a, b)| a + b).collect();
                out.push(s.iter().zip(q).map(|(s, q)| s * f64::from(*q)).sum::<f64>() / (dk as f64).sqrt());
                state.extend(s);
            }
        }
        (out, state)
    }
}

/// A row times a square matrix.
fn times(row: &[f64], matrix: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; row.len()];
    for (x, line) in row.iter().zip(matrix.chunks(row.len())) {
        out.iter_mut().zip(line).for_each(|(out, m)| *out += x * m);
    }
    out
}

fn apart(got: &[f64], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    let largest = want.iter().fold(1e-30f64, |max, y| max.max(y.abs()));
    got.iter().zip(want).map(|(a, b)| (a - b).abs() / largest).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(config(64))]

    /// One step to the last digits of float64; several, with the state in f32 between them, to those of f32.
    #[test]
    fn the_definition_is_its_unrolled_form(seed: u64, shape in shapes(1..20), n in 1usize..7) {
        let mut rng = Random::new(seed);
        let start = rng.activations(shape.nv() * shape.dv * shape.dk);
        let steps: Vec<Step> = (0..n).map(|_| shape.step(&mut rng)).collect();
        let step = |s: &Step, state: &[f32]| reference::delta_rule(&s.q, &s.k, &s.v, &s.beta, &s.g, state, shape.nk);
        let (one, want) = (step(&steps[0], &start), shape.unrolled(&steps[..1], &start));
        prop_assert!(apart(&one.0, &want.0) < 1e-12 && apart(&one.1, &want.1) < 1e-12);

        let (mut state, mut last) = (start.clone(), Vec::new());
        for s in &steps {
            let (out, next) = step(s, &state);
            (last, state) = (out, next.iter().map(|&s| s as f32).collect());
        }
        let want = shape.unrolled(&steps, &start);
        let state: Vec<f64> = state.iter().map(|&s| s.into()).collect();
        prop_assert!(apart(&last, &want.0) < 1e-6 * n as f64 && apart(&state, &want.1) < 1e-7 * n as f64);
    }
}

#[cfg(feature = "cuda")]
proptest! {
    #![proptest_config(config(24))]

    /// The kernel, its state on the device from step to step. A value that changes then changes its own row alone.
    #[test]
    fn the_kernel_is_the_unrolled_form(seed: u64, shape in shapes(1..80), n in 1usize..6, at: prop::sample::Index) {
        let Some(gpu) = gpu::gpu() else { return Ok(()) };
        let mut rng = Random::new(seed);
        let start = rng.activations(shape.nv() * shape.dv * shape.dk);
        let mut steps: Vec<Step> = (0..n).map(|_| shape.step(&mut rng)).collect();
        let run = |steps: &[Step]| {
            let (mut state, mut out) = (gpu.up(&start), gpu.fresh(shape.nv() * shape.dv));
            for step in steps {
                let [q, k, v, beta, g] = [&step.q, &step.k, &step.v, &step.beta, &step.g].map(|x| gpu.up(x));
                let (q, k, v, beta, g) = (q.as_view(), k.as_view(), v.as_view(), beta.as_view(), g.as_view());
                let (s, y) = (&mut state.as_view_mut(), &mut out.as_view_mut());
                kreg::cuda::delta_rule(&gpu.device, &q, &k, &v, &beta, &g, shape.nk, s, y).unwrap();
            }
            (gpu.down(&out), gpu.down(&state))
        };
        let (out, state) = run(&steps);
        let want = shape.unrolled(&steps, &start);
        prop_assert!(apart(&gpu::widen(&out), &want.0) < 2e-6 * n as f64, "{:?} against {:?}", out, want.0);
        prop_assert!(apart(&gpu::widen(&state), &want.1) < 1e-6 * n as f64);

        let row = at.index(shape.nv() * shape.dv);
        steps[0].v[row] += 1.0;
        let (_, other) = run(&steps);
        for (i, (a, b)) in state.chunks(shape.dk).zip(other.chunks(shape.dk)).enumerate() {
            prop_assert!(i == row || a == b, "value {row} changed row {i}");
        }
    }
}
