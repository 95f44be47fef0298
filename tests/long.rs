//! Sizes that models have and the other tests do not reach: rows of 28672 columns, thousands of positions, vocabularies
//! longer than f32 counts, gates of any size.

mod support;

use kreg::args::AttentionShape;
use kreg::cpu::{self, Device};
use kreg::kernels::Workspace;
use kreg::kernels::reference::bound::{self, Builtins, F32};
use kreg::kernels::reference::decode::Order;
use kreg::kernels::reference::workload::{Codes, Random, Scales};
use kreg::kernels::reference::{self, Verdict};
use support::kernel::kernels;
use support::laws::bits;
use support::ops::op_devices;

/// Every block of K that a loop nest has, for each number of activation rows that has a loop nest of its own. Each column
/// counts in one activation row, which has so few that a wrong one is outside its bound.
#[test]
fn every_column_of_a_long_row_counts() {
    const M: usize = 65;
    let mut rng = Random::new(31);
    for kernel in kernels() {
        let ragged = kernel.format.elems == 1 || matches!(kernel.format.order, Order::Flat(_));
        let (rows, cols) = (3, 28_672 + if ragged { 29 } else { 0 });
        let bytes = kernel.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
        let x = rng.comb(M, cols);
        let exact = kernel.exact(&kernel.format.decode(&bytes, rows, cols), cols, &x);
        for m in [M, 17, 3, 1] {
            let run = |x| kernel.run(&bytes, rows, cols, x);
            let y: Vec<f32> = x.chunks(m * cols).flat_map(run).collect();
            kernel.assert_within(&format!("M {m} K {cols}"), cols.div_ceil(M), &y, &exact);
        }
    }
}

/// Devices on which the rows of an op are selected.
fn devices(op: &str) -> impl Iterator<Item = Device> {
    let of_op = op_devices().into_iter().filter(move |(id, _)| id.row().op == op && id.qtype().is_none());
    of_op.map(|(_, device)| device)
}

/// Positions in one call give the bits that each gives alone, and each finds the one key that it was made for.
#[test]
fn each_of_many_positions_finds_its_key() {
    const CACHED: usize = 5000;
    const M: usize = 17;
    let shape = AttentionShape { heads: 2, kv_heads: 1, head_dim: 64, scale: 1.0, softcap: None };
    let (wide, kv) = (128, 64);
    let mut rng = Random::new(32);
    let (keys, values) = (rng.activations((CACHED + M) * kv), rng.activations((CACHED + M) * kv));
    // The last position looks at itself, the others at keys all over the cache.
    let wanted = |i: usize| if i + 1 == M { CACHED + i } else { 311 * i + 7 };
    let q: Vec<f32> = (0..M).flat_map(|i| keys[wanted(i) * kv..][..kv].repeat(2)).collect();
    for device in devices("attention") {
        let run = |from: usize, n: usize| {
            let (past, end) = ((CACHED + from) * kv, (CACHED + from + n) * kv);
            let ((kc, k), (vc, v)) = (keys[..end].split_at(past), values[..end].split_at(past));
            let (q, mut out) = (&q[from * wide..][..n * wide], vec![0.0; n * wide]);
            cpu::attention(&device, q, kc, vc, k, v, shape, &mut out, &mut Workspace::new()).unwrap();
            out
        };
        let together = run(0, M);
        for (i, out) in together.chunks(wide).enumerate() {
            assert_eq!(bits(&run(i, 1)), bits(out), "position {i}");
            let (past, end) = ((CACHED + i) * kv, (CACHED + i + 1) * kv);
            let ((kc, k), (vc, v)) = (keys[..end].split_at(past), values[..end].split_at(past));
            let q = &q[i * wide..][..wide];
            let exact = reference::attention(q, kc, vc, k, v, 2, 1, 1.0, None);
            let may = bound::attention(q, &keys[..end], &values[..end], shape, F32, &Builtins::CPU).unwrap();
            hold(&format!("position {i}"), out, &exact, &may);
            let value = &values[wanted(i) * kv..][..kv];
            assert!(
                value.iter().zip(&exact).all(|(v, y)| (f64::from(*v) - y).abs() < 0.05),
                "the key is not sharp"
            );
        }
    }
}

#[track_caller]
fn hold(what: &str, got: &[f32], exact: &[f64], bounds: &[f64]) {
    let mut verdict = Verdict::default();
    verdict.add(got, exact, bounds);
    verdict.pass().unwrap_or_else(|failure| panic!("{what}: {failure}"));
}

/// The first of equals, wherever it is.
#[test]
fn the_largest_of_a_long_vocabulary_is_found() {
    const N: usize = (1 << 24) + 7;
    for device in devices("argmax") {
        let mut x = vec![-1.0; N];
        for at in [N - 1, (1 << 24) + 1, (1 << 22) + 5, 1 << 19, (1 << 19) - 1, 300_001, 0] {
            x[at] = 1.0;
            assert_eq!(cpu::argmax(&device, &x).unwrap().0 as usize, at);
        }
    }
}

/// Past both ends of what `exp` can give in f32.
#[test]
fn gates_of_any_size_are_right() {
    let steps = (-120_000..=120_000).map(|i| i as f32 * 1e-3);
    let far = [1e3, 1e10, 1e30, f32::MAX, -1e3, -1e10, -1e30, f32::MIN];
    let x: Vec<f32> = steps.chain(far).collect();
    let up = vec![1.0; x.len()];
    for device in devices("swiglu") {
        let mut y = x.clone();
        cpu::swiglu(&device, &mut y, &up).unwrap();
        hold("swiglu", &y, &reference::swiglu(&x, &up), &bound::swiglu(&x, &up, &Builtins::CPU));
    }
    // x^3 is no f32 much further out.
    let x: Vec<f32> = x.into_iter().filter(|x| x.abs() <= 1e10).collect();
    for device in devices("gelu") {
        let mut y = x.clone();
        cpu::gelu(&device, &mut y).unwrap();
        hold("gelu", &y, &reference::gelu(&x), &bound::gelu(&x, &Builtins::CPU));
    }
}
