//! Element-wise ops, the convolution, argmax and attention.

use kreg::args::AttentionShape;
use kreg::cuda::{self, Position};
use kreg::kernels::reference::bound::{self, Builtins, F32};
use kreg::kernels::reference::workload::Random;
use proptest::prelude::*;

use crate::gpu::{Gpu, gpu};
use crate::laws::{bits, config};

type Binary = fn(&Gpu, &[f32], &[f32]) -> Vec<f32>;

/// An op of two vectors that writes a third.
macro_rules! binary {
    ($op:path) => {
        |gpu, a, b| {
            let (a, b, mut y) = (gpu.up(a), gpu.up(b), gpu.fresh(a.len()));
            $op(&gpu.device, &a.as_view(), &b.as_view(), &mut y.as_view_mut()).unwrap();
            gpu.down(&y)
        }
    };
}

const SWIGLU: Binary = binary!(cuda::swiglu);
const ADD: Binary = binary!(cuda::residual_add);
const MUL: Binary = binary!(cuda::elementwise_mul);
const GATE: Binary = |gpu, x, gate| {
    let (mut x, gate) = (gpu.up(x), gpu.up(gate));
    cuda::sigmoid_gate(&gpu.device, &mut x.as_view_mut(), &gate.as_view()).unwrap();
    gpu.down(&x)
};

fn minus(x: &[f32]) -> Vec<f32> {
    x.iter().map(|x| -x).collect()
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn pairs_commute_and_scale(seed: u64, n in 1usize..400, exponent in -8i32..9) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let mut rng = Random::new(seed);
        let (a, b) = (rng.activations(n), rng.activations(n));
        for op in [ADD, MUL] {
            prop_assert_eq!(bits(&op(&gpu, &a, &b)), bits(&op(&gpu, &b, &a)));
        }
        let scaled = |x: &[f32]| x.iter().map(|x| x * 2f32.powi(exponent)).collect::<Vec<_>>();
        for op in [SWIGLU, MUL] {
            prop_assert_eq!(bits(&op(&gpu, &a, &scaled(&b))), bits(&scaled(&op(&gpu, &a, &b))));
        }
        // The two halves of a sigmoid: neither is larger than x, and together they are x.
        let (up, down) = (GATE(&gpu, &a, &b), GATE(&gpu, &a, &minus(&b)));
        for ((x, up), down) in a.iter().zip(&up).zip(&down) {
            prop_assert!(up.abs() <= x.abs() && down.abs() <= x.abs());
            prop_assert!((f64::from(*up) + f64::from(*down) - f64::from(*x)).abs() <= 8.0 * F32.unit * f64::from(x.abs()));
        }
    }

    /// Rates lie between 0 and 1 and mirror each other; decays have the sign of `a` and grow with `alpha`.
    #[test]
    fn gates_keep_to_their_ranges(seed: u64, n in 1usize..300, exponent in -6i32..7) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let mut rng = Random::new(seed);
        let (alpha, bias, a, raw) = (rng.activations(n), rng.activations(n), rng.activations(n), rng.activations(n));
        let gates = |alpha: &[f32], a: &[f32], raw: &[f32]| {
            let [alpha, bias, a, raw] = [alpha, &bias, a, raw].map(|x| gpu.up(x));
            let (mut g, mut beta) = (gpu.fresh(n), gpu.fresh(n));
            let (alpha, bias, a, raw) = (alpha.as_view(), bias.as_view(), a.as_view(), raw.as_view());
            cuda::gdn_gates(&gpu.device, &alpha, &bias, &a, &raw, &mut g.as_view_mut(), &mut beta.as_view_mut()).unwrap();
            (gpu.down(&g), gpu.down(&beta))
        };
        let (g, beta) = gates(&alpha, &a, &raw);
        let factor = 2f32.powi(exponent);
        let more: Vec<f32> = alpha.iter().map(|x| x + 0.5).collect();
        let (scaled, mirrored) = gates(&alpha, &a.iter().map(|a| a * factor).collect::<Vec<_>>(), &minus(&raw));
        let (larger, _) = gates(&more, &a, &raw);
        for i in 0..n {
            prop_assert!(g[i] * a[i] >= 0.0 && (0.0..=1.0).contains(&beta[i]));
            prop_assert!((beta[i] + mirrored[i] - 1.0).abs() <= 4.0 * F32.unit as f32);
            prop_assert_eq!((g[i] * factor).to_bits(), scaled[i].to_bits());
            prop_assert!(larger[i].abs() > g[i].abs() || a[i] == 0.0);
        }
    }

    /// Step by step from a state of zeros it is the convolution of the whole sequence.
    #[test]
    fn convolution_is_its_unrolled_form(seed: u64, channels in 1usize..200, taps in 2usize..7, steps in 1usize..12) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let mut rng = Random::new(seed);
        let weight = rng.activations(channels * taps);
        let x = rng.activations(channels * steps);
        let (w, mut state, mut out) = (gpu.up(&weight), gpu.up(&vec![0.0; channels * (taps - 1)]), gpu.fresh(channels));
        for t in 0..steps {
            let (now, s, y) = (gpu.up(&x[t * channels..][..channels]), &mut state.as_view_mut(), &mut out.as_view_mut());
            cuda::conv1d::silu(&gpu.device, &now.as_view(), s, &w.as_view(), y).unwrap();
            let got = gpu.down(&out);
            for c in 0..channels {
                let past = |j: usize| (t + j + 1).checked_sub(taps).map_or(0.0, |t| f64::from(x[t * channels + c]));
                let terms: Vec<f64> = (0..taps).map(|j| past(j) * f64::from(weight[c * taps + j])).collect();
                let (sum, mag) = (terms.iter().sum::<f64>(), terms.iter().map(|t| t.abs()).sum::<f64>());
                let want = sum / (1.0 + (-sum).exp());
                // The slope of silu is at most 1.1.
                let may = (2.0 * taps as f64 + 16.0) * F32.unit * mag;
                prop_assert!((f64::from(got[c]) - want).abs() <= may, "step {} channel {}: {} not {}", t, c, got[c], want);
            }
        }
        let kept = gpu.down(&state);
        for (i, s) in kept.iter().enumerate() {
            let (c, j) = (i / (taps - 1), i % (taps - 1));
            let want = (steps + j + 1).checked_sub(taps).map_or(0.0, |t| x[t * channels + c]);
            prop_assert_eq!(s.to_bits(), want.to_bits());
        }
    }

    #[test]
    fn argmax_finds_the_first_largest(mut x in prop::collection::vec(-1e3f32..1e3, 1..3000), tie: prop::sample::Index) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let rows: [fn(&Gpu, &[f32]) -> u32; 2] = [
            |gpu, x| {
                let (x, mut index) = (gpu.up(x), gpu.up(&[u32::MAX]));
                cuda::argmax(&gpu.device, &x.as_view(), &mut index.as_view_mut()).unwrap();
                gpu.down(&index)[0]
            },
            |gpu, x| cuda::argmax::host(&gpu.device, x).unwrap().0,
        ];
        for argmax in rows {
            let at = argmax(&gpu, &x) as usize;
            prop_assert!(x.iter().all(|y| *y <= x[at]) && x[..at].iter().all(|y| *y < x[at]));
            let doubled: Vec<f32> = x.iter().map(|x| 2.0 * x).collect();
            prop_assert_eq!(argmax(&gpu, &doubled) as usize, at);
            let other = tie.index(x.len());
            x[other] = x[at];
            prop_assert_eq!(argmax(&gpu, &x) as usize, at.min(other));
        }
    }

    /// Each output lies between the values it averages, and the order of positions does not matter.
    #[test]
    fn attention_averages_values(seed: u64, group in 1usize..4, kv_heads in 1usize..3, d in 1usize..70, length in 1usize..80) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let scale = (1.0 / (d as f64).sqrt()) as f32;
        let shape = AttentionShape { heads: group * kv_heads, kv_heads, head_dim: d, scale, softcap: None };
        let (mut rng, kv) = (Random::new(seed), kv_heads * d);
        let q = rng.activations(shape.heads * d);
        let (keys, values) = (rng.activations(length * kv), rng.activations(length * kv));
        let may = bound::attention(&q, &keys, &values, shape, F32, &Builtins::CUDA).unwrap();
        // The first row's caches are head-major, the second's position-major as `keys` is.
        let head_major = |rows: &[f32]| -> Vec<f32> {
            let row = |h: usize, p: usize| &rows[p * kv + h * d..][..d];
            (0..kv_heads).flat_map(|h| (0..length).flat_map(move |p| row(h, p).to_vec())).collect()
        };
        let run = |keys: &[f32], values: &[f32]| {
            let (dq, k, v, mut out) = (gpu.up(&q), gpu.up(&head_major(keys)), gpu.up(&head_major(values)), gpu.fresh(q.len()));
            let (dq, k, v, y) = (dq.as_view(), k.as_view(), v.as_view(), &mut out.as_view_mut());
            cuda::attention(&gpu.device, &dq, &k, &v, Position::Value(length - 1), shape, y).unwrap();
            let first = gpu.down(&out);
            let (k, v) = (gpu.up(keys), gpu.up(values));
            let (k, v, y) = (k.as_view(), v.as_view(), &mut out.as_view_mut());
            cuda::attention::gdn_decode(&gpu.device, &dq, &k, &v, Position::Value(length - 1), kv_heads, d, y).unwrap();
            [first, gpu.down(&out)]
        };
        let turned = |rows: &[f32]| [&rows[kv..], &rows[..kv]].concat();
        for (out, other) in run(&keys, &values).iter().zip(run(&turned(&keys), &turned(&values))) {
            for (i, (out, other)) in out.iter().zip(other).enumerate() {
                let column = i / d / group * d + i % d;
                let seen = (0..length).map(|p| f64::from(values[p * kv + column]));
                let (low, high) = seen.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
                prop_assert!((low - may[i]..=high + may[i]).contains(&f64::from(*out)), "output {}", i);
                prop_assert!(f64::from(out - other).abs() <= 2.0 * may[i], "output {}", i);
            }
        }
    }
}
