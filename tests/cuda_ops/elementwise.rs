//! swiglu, residual_add, elementwise_mul, sigmoid_gate, split, embed: one thread an element.

use kreg::cuda::{self, Position};
use kreg::kernels::reference;
use kreg::kernels::reference::workload::Random;

use crate::gpu::{close, gpu, widen};

const LENGTHS: [usize; 5] = [1, 127, 128, 4097, 20_000];

/// Numbers, and at the end those that are none.
fn inputs(n: usize) -> (Vec<f32>, Vec<f32>) {
    let mut random = Random::new(n as u64);
    let mut x: Vec<f32> = random.activations(n).iter().map(|x| 3.0 * x).collect();
    let mut y = random.activations(n);
    let edges = [f32::NAN, f32::INFINITY, -1000.0, -88.8, 0.0, -0.0, 1e-42, 100.0];
    for (i, edge) in edges.into_iter().enumerate().filter(|_| n > 100) {
        x[n - 1 - i] = edge;
        y[n - 20 - i] = edge;
    }
    (x, y)
}

#[test]
fn pairs_of_vectors() {
    let Some(gpu) = gpu() else { return };
    for n in LENGTHS {
        let (a, b) = inputs(n);
        let (da, db) = (gpu.up(&a), gpu.up(&b));
        let (da, db) = (da.as_view(), db.as_view());
        let mut out = gpu.fresh(n);
        let id = cuda::swiglu(&gpu.device, &da, &db, &mut out.as_view_mut()).unwrap();
        assert_eq!(id.as_str(), "cuda.swiglu.f32");
        close("swiglu", &gpu.down(&out), &reference::swiglu(&a, &b), 3e-7);
        let id = cuda::residual_add(&gpu.device, &da, &db, &mut out.as_view_mut()).unwrap();
        assert_eq!(id.as_str(), "cuda.residual_add.f32");
        close("residual_add", &gpu.down(&out), &widen(&reference::residual_add(&a, &b)), 0.0);
        let id = cuda::elementwise_mul(&gpu.device, &da, &db, &mut out.as_view_mut()).unwrap();
        assert_eq!(id.as_str(), "cuda.elementwise_mul.f32");
        close("elementwise_mul", &gpu.down(&out), &reference::elementwise_mul(&a, &b), 0.0);
        let mut x = gpu.up(&a);
        let id = cuda::sigmoid_gate(&gpu.device, &mut x.as_view_mut(), &db).unwrap();
        assert_eq!(id.as_str(), "cuda.sigmoid_gate.f32");
        close("sigmoid_gate", &gpu.down(&x), &reference::sigmoid_gate(&a, &b), 3e-7);
    }
}

#[test]
fn split() {
    let Some(gpu) = gpu() else { return };
    for (heads, d) in [(1, 1), (3, 64), (2, 128), (5, 256), (7, 300)] {
        let x: Vec<f32> = (0..heads * 2 * d).map(|i| f32::from_bits(0x7fc0_0000 - 9000 + i as u32)).collect();
        let (dx, mut query, mut gate) = (gpu.up(&x), gpu.fresh(heads * d), gpu.fresh(heads * d));
        let (q, g) = (&mut query.as_view_mut(), &mut gate.as_view_mut());
        let id = cuda::split::interleaved(&gpu.device, &dx.as_view(), d, q, g).unwrap();
        assert_eq!(id.as_str(), "cuda.split.interleaved.f32");
        let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let want = reference::split_interleaved(&x, d);
        assert_eq!((bits(&gpu.down(&query)), bits(&gpu.down(&gate))), (bits(&want.0), bits(&want.1)));
    }
}

#[test]
fn embed() {
    let Some(gpu) = gpu() else { return };
    for n in [1, 127, 128, 4097] {
        let mut table = Random::new(3).activations(5 * n);
        table[4 * n] = f32::from_bits(0x7fa1_2345);
        let (dt, mut out) = (gpu.up(&table), gpu.fresh(n));
        for token in [0, 3, 4] {
            let at = gpu.up(&[token as u32, 99]);
            for token_at in [Position::Value(token), Position::At(&at.as_view())] {
                gpu.stream.memcpy_htod(&vec![0.0; n], &mut out).unwrap();
                let id = cuda::embed(&gpu.device, &dt.as_view(), token_at, &mut out.as_view_mut()).unwrap();
                assert_eq!(id.as_str(), "cuda.embed.f32");
                let got: Vec<u32> = gpu.down(&out).iter().map(|x| x.to_bits()).collect();
                let want: Vec<u32> = table[token * n..][..n].iter().map(|x| x.to_bits()).collect();
                assert_eq!(got, want);
            }
        }
    }
    assert_eq!(gpu.device.fault(), Ok(()));
}
