//! What holds of every row for any input: inputs, shapes and thread counts are drawn at random, and the smallest that
//! fails is reported.

mod support;

use kreg::args::{AttentionShape, RopeStyle, SampleRng};
use kreg::cpu;
use kreg::kernels::Workspace;
use kreg::kernels::reference::bound::{self, Builtins, F32};
use kreg::kernels::reference::decode::Order;
use kreg::kernels::reference::workload::{Codes, Random, Scales};
use proptest::prelude::*;
use support::kernel::{Kernel, kernels};
use support::laws::{Product, bits, columns, config};
use support::ops::op_devices;

/// A seeded matrix and its weights.
fn matrix(kernel: &Kernel, rows: usize, cols: usize, rng: &mut Random) -> (Vec<u8>, Vec<f32>) {
    let bytes = kernel.format.matrix(rows, cols, Codes::Random, Scales::Sane, rng);
    let weights = kernel.format.decode(&bytes, rows, cols);
    (bytes, weights)
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn products_are_linear_and_split(seed: u64, rows in 1usize..9, blocks in 2usize..5, a in -2.0f32..2.0, b in -2.0f32..2.0) {
        let mut rng = Random::new(seed);
        for kernel in kernels().iter().filter(|k| k.row.precision == "f32") {
            let run = |bytes: &[u8], (rows, cols), x: &[f32]| kernel.run(bytes, rows, cols, x);
            let product = Product { name: kernel.name().into(), format: kernel.format, run: &run };
            product.is_linear_and_splits(rows, blocks, (a, b), &mut rng)?;
        }
    }

    /// At every precision: rows of weights in another order give the outputs in that order, bit for bit; a power of two on
    /// the activations is one on the outputs; many activation rows are as right as one; threads change nothing.
    #[test]
    fn rows_permute_and_scale(seed: u64, rows in 2usize..40, blocks in 1usize..4, m in 1usize..6, exponent in -3i32..4, threads in 1usize..5) {
        let mut rng = Random::new(seed);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for kernel in kernels() {
            let cols = columns(kernel.format, blocks);
            let (bytes, weights) = matrix(&kernel, rows, cols, &mut rng);
            let x = rng.activations(m * cols);
            let y = kernel.run(&bytes, rows, cols, &x);
            prop_assert_eq!(bits(&pool.install(|| kernel.run(&bytes, rows, cols, &x))), bits(&y), "{}", kernel.name());

            let factor = 2f32.powi(exponent);
            let scaled: Vec<f32> = x.iter().map(|x| x * factor).collect();
            let want: Vec<f32> = y.iter().map(|y| y * factor).collect();
            prop_assert_eq!(bits(&kernel.run(&bytes, rows, cols, &scaled)), bits(&want), "{}", kernel.name());

            let exact = kernel.exact(&weights, cols, &x);
            kernel.assert_within("together", cols, &y, &exact);
            for (i, x) in x.chunks(cols).enumerate() {
                let alone = kernel.run(&bytes, rows, cols, x);
                kernel.assert_within(&format!("row {i} alone"), cols, &alone, &kernel.exact(&weights, cols, x));
            }
            if kernel.format.order == Order::Rows {
                let turned = rng.bits() as usize % rows;
                let row = bytes.len() / rows;
                let rotated = [&bytes[turned * row..], &bytes[..turned * row]].concat();
                let got = kernel.run(&rotated, rows, cols, &x);
                for (got, y) in got.chunks(rows).zip(y.chunks(rows)) {
                    let want = [&y[turned..], &y[..turned]].concat();
                    prop_assert_eq!(bits(got), bits(&want), "{}", kernel.name());
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn argmax_finds_the_first_largest(mut x in prop::collection::vec(-1e3f32..1e3, 1..2000), tie: prop::sample::Index) {
        for (_, device) in op_devices().into_iter().filter(|(id, _)| id.row().op == "argmax") {
            let (at, _) = cpu::argmax(&device, &x).unwrap();
            let at = at as usize;
            prop_assert!(x.iter().all(|y| *y <= x[at]) && x[..at].iter().all(|y| *y < x[at]));
            // A factor keeps it, and an equal value counts only before it.
            let doubled: Vec<f32> = x.iter().map(|x| 2.0 * x).collect();
            prop_assert_eq!(cpu::argmax(&device, &doubled).unwrap().0 as usize, at);
            let other = tie.index(x.len());
            x[other] = x[at];
            prop_assert_eq!(cpu::argmax(&device, &x).unwrap().0 as usize, at.min(other));
        }
    }

    #[test]
    fn a_larger_draw_is_never_likelier(logits in prop::collection::vec(-8.0f32..8.0, 1..300), t in 0.1f32..3.0, k in 0usize..60, r in 0.0f32..1.0, s in 0.0f32..1.0) {
        let mut ws = Workspace::new();
        for (_, device) in op_devices().into_iter().filter(|(id, _)| id.as_str().starts_with("cpu.sample.topk")) {
            let mut draw = |r: f32, k| cpu::sample::topk(&device, &logits, t, k, r, &mut ws).unwrap().0 as usize;
            let (low, high) = (draw(r.min(s), k), draw(r.max(s), k));
            prop_assert!(logits[low] >= logits[high]);
            let best = cpu::argmax(&device, &logits).unwrap().0 as usize;
            prop_assert!(draw(0.0, k) == best && draw(r, 1) == best);
        }
        for (_, device) in op_devices().into_iter().filter(|(id, _)| id.as_str().starts_with("cpu.sample.seeded")) {
            let draw = |seed, ws: &mut Workspace| {
                cpu::sample::seeded(&device, &logits, t, k, 0.9, &mut SampleRng::new(seed), ws).unwrap().0
            };
            prop_assert_eq!(draw(7, &mut ws), draw(7, &mut Workspace::new()));
        }
    }

    #[test]
    fn a_penalty_depends_on_the_set_of_tokens(x in prop::collection::vec(-8.0f32..8.0, 1..200), mut context in prop::collection::vec(0u32..250, 0..60), p in 0.5f32..2.0) {
        let device = cpu::Device::host().unwrap();
        let (mut once, mut again) = (x.clone(), x.clone());
        let n = context.len();
        cpu::repeat_penalty(&device, &mut once, &context, n, p, &mut Workspace::new()).unwrap();
        context.reverse();
        context.extend_from_within(..n / 2);
        cpu::repeat_penalty(&device, &mut again, &context, context.len(), p, &mut Workspace::new()).unwrap();
        prop_assert_eq!(bits(&once), bits(&again));
        for (t, (x, y)) in x.iter().zip(&once).enumerate() {
            prop_assert!(context.contains(&(t as u32)) || x.to_bits() == y.to_bits());
        }
    }

    #[test]
    fn rope_keeps_norms_and_adds_angles(seed: u64, half in 1usize..65, heads in 1usize..4, p in 0usize..4000, q in 0usize..4000) {
        let device = cpu::Device::host().unwrap();
        let d = 2 * half;
        let x = Random::new(seed).activations(heads * d);
        for style in [RopeStyle::Adjacent, RopeStyle::Neox] {
            let turn = |x: &[f32], pos| {
                let mut y = x.to_vec();
                cpu::rope(&device, &mut y, d, pos, 1e4, style).unwrap();
                y
            };
            prop_assert_eq!(bits(&turn(&x, 0)), bits(&x));
            let (twice, once) = (turn(&turn(&x, p), q), turn(&x, p + q));
            let norm = |x: &[f32]| x.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
            for ((x, once), twice) in x.chunks(d).zip(once.chunks(d)).zip(twice.chunks(d)) {
                prop_assert!((norm(once) - norm(x)).abs() <= 5.0 * F32.unit * norm(x));
                let apart = once.iter().zip(twice).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt();
                prop_assert!(apart <= 16.0 * F32.unit * norm(x), "{apart:e}");
            }
        }
    }

    #[test]
    fn norms_do_not_see_scale_or_shift(seed: u64, n in 2usize..600, exponent in -8i32..9, shift in -4.0f32..4.0) {
        let device = cpu::Device::host().unwrap();
        let mut rng = Random::new(seed);
        let (x, w) = (rng.activations(n), rng.activations(n));
        let factor = 2f32.powi(exponent);
        let scaled: Vec<f32> = x.iter().map(|x| x * factor).collect();
        let (mut y, mut z) = (vec![0.0; n], vec![0.0; n]);
        cpu::rmsnorm(&device, &x, &w, 0.0, &mut y).unwrap();
        cpu::rmsnorm(&device, &scaled, &w, 0.0, &mut z).unwrap();
        prop_assert_eq!(bits(&y), bits(&z));

        let shifted: Vec<f32> = x.iter().map(|x| x + shift).collect();
        cpu::layernorm(&device, &x, &w, None, 1e-5, &mut y).unwrap();
        cpu::layernorm(&device, &shifted, &w, None, 1e-5, &mut z).unwrap();
        let may = bound::layernorm(&shifted, &w, None, 1e-5, F32).unwrap();
        for i in 0..n {
            // The shift itself rounds every element, which moves all of them.
            let moved = 8.0 * F32.unit * f64::from(shift.abs() + 4.0) * f64::from(w[i].abs()) / deviation(&x);
            prop_assert!(f64::from(y[i] - z[i]).abs() <= 2.0 * may[i] + moved * (2.0 + f64::from(x[i].abs()) / deviation(&x)));
        }
    }

    #[test]
    fn attention_averages_values(seed: u64, group in 1usize..4, kv_heads in 1usize..3, d in 1usize..40, cached in 0usize..70, threads in 1usize..5) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let shape = AttentionShape { heads: group * kv_heads, kv_heads, head_dim: d, scale: 0.5, softcap: None };
        let (mut rng, kv) = (Random::new(seed), kv_heads * d);
        let q = rng.activations(shape.heads * d);
        let (keys, values) = (rng.activations((cached + 1) * kv), rng.activations((cached + 1) * kv));
        let may = bound::attention(&q, &keys, &values, shape, F32, &Builtins::CPU).unwrap();
        for (id, device) in op_devices().into_iter().filter(|(id, _)| id.row().op == "attention") {
            let run = |keys: &[f32], values: &[f32]| {
                let mut out = vec![0.0; q.len()];
                let ((kc, k), (vc, v)) = (keys.split_at(cached * kv), values.split_at(cached * kv));
                let ran = cpu::attention(&device, &q, kc, vc, k, v, shape, &mut out, &mut Workspace::new());
                assert_eq!(ran, Ok(id));
                out
            };
            let out = run(&keys, &values);
            prop_assert_eq!(bits(&pool.install(|| run(&keys, &values))), bits(&out), "{}", id);
            for (i, out) in out.iter().enumerate() {
                let column = i / d / group * d + i % d;
                let seen = (0..=cached).map(|p| f64::from(values[p * kv + column]));
                let (low, high) = seen.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
                prop_assert!((low - may[i]..=high + may[i]).contains(&f64::from(*out)), "{}", id);
            }
            let (mut turned_keys, mut turned_values) = (keys.clone(), values.clone());
            turned_keys.rotate_left(kv);
            turned_values.rotate_left(kv);
            for ((a, b), may) in out.iter().zip(run(&turned_keys, &turned_values)).zip(&may) {
                prop_assert!(f64::from(a - b).abs() <= 2.0 * may, "{}", id);
            }
        }
    }

    #[test]
    fn attention_positions_together_are_each_alone(seed: u64, group in 1usize..4, kv_heads in 1usize..3, d in 1usize..40, cached in 0usize..40, m in 2usize..40, threads in 1usize..5) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let shape = AttentionShape { heads: group * kv_heads, kv_heads, head_dim: d, scale: 0.5, softcap: None };
        let (mut rng, wide, kv) = (Random::new(seed), shape.heads * d, kv_heads * d);
        let q = rng.activations(m * wide);
        let (keys, values) = (rng.activations((cached + m) * kv), rng.activations((cached + m) * kv));
        for (id, device) in op_devices().into_iter().filter(|(id, _)| id.row().op == "attention") {
            let run = |from: usize, n: usize| {
                let (past, end) = ((cached + from) * kv, (cached + from + n) * kv);
                let mut out = vec![0.0; n * wide];
                let ((kc, k), (vc, v)) = (keys[..end].split_at(past), values[..end].split_at(past));
                let q = &q[from * wide..][..n * wide];
                let ran = cpu::attention(&device, q, kc, vc, k, v, shape, &mut out, &mut Workspace::new());
                assert_eq!(ran, Ok(id));
                out
            };
            let together = pool.install(|| run(0, m));
            for (i, out) in together.chunks_exact(wide).enumerate() {
                prop_assert_eq!(bits(&run(i, 1)), bits(out), "{} position {}", id, i);
            }
        }
    }

    #[test]
    fn swiglu_is_linear_in_up(g in prop::collection::vec(-20.0f32..20.0, 1..200), exponent in -8i32..9) {
        let device = cpu::Device::host().unwrap();
        let run = |u: f32| {
            let mut y = g.clone();
            cpu::swiglu(&device, &mut y, &vec![u; g.len()]).unwrap();
            y
        };
        let factor = 2f32.powi(exponent);
        let want: Vec<f32> = run(1.0).iter().map(|y| y * factor).collect();
        prop_assert_eq!(bits(&run(factor)), bits(&want));
    }

    #[test]
    fn gelu_of_both_signs_differ_by_x(x in prop::collection::vec(-30.0f32..30.0, 1..200)) {
        let device = cpu::Device::host().unwrap();
        let run = |x: &[f32]| {
            let mut y = x.to_vec();
            cpu::gelu(&device, &mut y).unwrap();
            y
        };
        let minus: Vec<f32> = x.iter().map(|x| -x).collect();
        let may = bound::gelu(&x, &Builtins::CPU).into_iter().zip(bound::gelu(&minus, &Builtins::CPU));
        for (((x, up), down), (a, b)) in x.iter().zip(run(&x)).zip(run(&minus)).zip(may) {
            prop_assert!((f64::from(up) - f64::from(down) - f64::from(*x)).abs() <= a + b);
        }
    }

    #[test]
    fn residual_add_commutes(h in prop::collection::vec(any::<f32>(), 1..200), seed: u64) {
        let device = cpu::Device::host().unwrap();
        let d = Random::new(seed).activations(h.len());
        let (mut a, mut b) = (h.clone(), d.clone());
        cpu::residual_add(&device, &mut a, &d).unwrap();
        cpu::residual_add(&device, &mut b, &h).unwrap();
        prop_assert!(a.iter().zip(&b).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())));
    }

    #[test]
    fn copies_keep_every_bit(words in prop::collection::vec(any::<u32>(), 4..400), row: prop::sample::Index) {
        let device = cpu::Device::host().unwrap();
        let n = words.len() / 4;
        let table: Vec<f32> = words[..4 * n].iter().map(|w| f32::from_bits(*w)).collect();
        let at = row.index(4);
        let mut out = vec![0.0; n];
        cpu::embed(&device, &table, at as u32, &mut out).unwrap();
        prop_assert_eq!(bits(&out), bits(&table[at * n..][..n]));

        let (mut k_cache, mut v_cache) = (table.clone(), table.clone());
        let (k, v) = (&table[..n], &table[3 * n..]);
        cpu::kv_write(&device, k, v, at, &mut k_cache, &mut v_cache).unwrap();
        for (cache, row) in [(&k_cache, k), (&v_cache, v)] {
            let mut want = bits(&table);
            want[at * n..][..n].copy_from_slice(&bits(row));
            prop_assert_eq!(bits(cache), want);
        }
    }
}

fn deviation(x: &[f32]) -> f64 {
    let mean = x.iter().map(|x| f64::from(*x)).sum::<f64>() / x.len() as f64;
    (x.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / x.len() as f64 + 1e-5).sqrt()
}
