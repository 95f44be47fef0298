//! argmax on the device, and the rows that run on the host.

use kreg::args::SampleRng;
use kreg::cuda::{self, Position};
use kreg::kernels::reference::sample::{Generator, breakpoints, draw};
use kreg::kernels::reference::workload::Random;
use kreg::kernels::{Workspace, reference};

use crate::gpu::{Gpu, gpu};

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

fn argmax(gpu: &Gpu, x: &[f32]) -> u32 {
    let (dx, mut index) = (gpu.up(x), gpu.up(&[u32::MAX]));
    let id = cuda::argmax(&gpu.device, &dx.as_view(), &mut index.as_view_mut()).unwrap();
    assert_eq!(id.as_str(), "cuda.argmax.f32");
    gpu.down(&index)[0]
}

#[test]
fn argmax_of_any_length_takes_the_lowest_of_equals() {
    let Some(gpu) = gpu() else { return };
    for n in [1, 2, 31, 32, 33, 127, 128, 1023, 1024, 1025, 4097, 262_144, 262_145] {
        let mut random = Random::new(n as u64);
        let x: Vec<f32> = random.activations(n).iter().map(|x| (4.0 * x).round()).collect();
        assert_eq!(argmax(&gpu, &x), reference::argmax(&x), "{n}");
        for at in [0, n / 3, n - 1] {
            let mut x = vec![-1.0; n];
            (x[at], x[n - 1]) = (1.0, 1.0);
            assert_eq!(argmax(&gpu, &x), at as u32, "{n}");
        }
    }
}

#[test]
fn argmax_of_ties_that_cross_blocks() {
    let Some(gpu) = gpu() else { return };
    for (a, b) in [(1, 2), (1, 256), (1023, 1024), (1024, 2048), (5, 262_144), (262_143, 262_144)] {
        let mut x = vec![0.0; 262_145];
        (x[a], x[b]) = (3.0, 3.0);
        assert_eq!(argmax(&gpu, &x), a as u32, "{a} {b}");
    }
}

#[test]
fn argmax_of_no_numbers() {
    let Some(gpu) = gpu() else { return };
    for x in [&[NAN][..], &[NAN, -INF], &[-INF; 40], &[NAN; 3000], &[-1.0, -0.0, 0.0], &[0.0, INF, INF, NAN]]
    {
        assert_eq!(argmax(&gpu, x), reference::argmax(x), "{x:?}");
        assert_eq!(cuda::argmax::host(&gpu.device, x).unwrap().0, reference::argmax(x));
    }
    let mut x = vec![NAN; 262_145];
    x[262_144] = f32::MIN;
    assert_eq!(argmax(&gpu, &x), 262_144);
}

/// The token never leaves the device: argmax writes what embed reads.
#[test]
fn argmax_feeds_embed() {
    let Some(gpu) = gpu() else { return };
    let (logits, table) = (gpu.up(&[0.0, 5.0, 1.0]), gpu.up(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let (mut token, mut out) = (gpu.up(&[77u32]), gpu.fresh(2));
    cuda::argmax(&gpu.device, &logits.as_view(), &mut token.as_view_mut()).unwrap();
    let at = token.as_view();
    cuda::embed(&gpu.device, &table.as_view(), Position::At(&at), &mut out.as_view_mut()).unwrap();
    assert_eq!(gpu.down(&out), [3.0, 4.0]);
}

#[test]
fn host_rows() {
    let Some(gpu) = gpu() else { return };
    let (device, mut ws) = (&gpu.device, Workspace::new());
    let logits: Vec<f32> = Random::new(4).activations(1000).iter().map(|x| 3.0 * x).collect();
    let (mut rng, mut generator) = (SampleRng::new(42), Generator::new(42));
    let seeded = breakpoints(&logits, 0.8, 40, 0.9);
    for _ in 0..50 {
        let want = draw(&seeded, generator.draw());
        let (got, id) = cuda::sample::host_seeded(device, &logits, 0.8, 40, 0.9, &mut rng, &mut ws).unwrap();
        assert_eq!((got, id.as_str()), (want, "cuda.sample.host_seeded.f32"));
        let (got, id) = cuda::sample::host_topk(device, &logits, 0.8, 5, &mut ws).unwrap();
        assert_eq!(id.as_str(), "cuda.sample.host_topk.f32");
        assert!(breakpoints(&logits, 0.8, 5, 1.0).iter().any(|b| b.0 == got));
    }
    let context: Vec<u32> = (0..90).map(|i| i * 37 % 1003).collect();
    let exact = reference::repeat_penalty(&logits, &context, 64, 1.3);
    let mut got = logits.clone();
    let id = cuda::repeat_penalty::host(device, &mut got, &context, 64, 1.3, &mut ws).unwrap();
    assert_eq!((got, id.as_str()), (exact.clone(), "cuda.repeat_penalty.host.f32"));
    // All in one: what is drawn is drawn from penalised logits.
    let (mut rng, mut generator) = (SampleRng::new(7), Generator::new(7));
    for _ in 0..20 {
        let want = draw(&breakpoints(&exact, 0.8, 40, 0.9), generator.draw());
        let mut x = logits.clone();
        let (got, id) =
            cuda::sample::host(device, &mut x, &context, 64, 1.3, 0.8, 40, 0.9, &mut rng, &mut ws).unwrap();
        assert_eq!((got, id.as_str(), x), (want, "cuda.sample.host.f32", exact.clone()));
    }
    let mut x = [2.0, 1.0, 2.0];
    let last = cuda::sample::host(device, &mut x, &[], 64, 1.0, 0.0, 0, 1.0, &mut rng, &mut ws).unwrap().0;
    assert_eq!(last, 2, "this row's greedy choice is the last of the largest");
    let (mut experts, mut weights) = ([0; 8], [0.0; 8]);
    let id = cuda::route_topk::host(device, &logits[..128], &mut experts, &mut weights).unwrap();
    assert_eq!(id.as_str(), "cuda.route_topk.host.f32");
    for ((expert, weight), want) in experts.iter().zip(weights).zip(reference::route_topk(&logits[..128], 8))
    {
        assert!(*expert == want.0 && (f64::from(weight) - want.1).abs() < 1e-7);
    }
}
