//! The norms: rmsnorm, rmsnorm.per_head, rmsnorm.gated, l2norm.per_head.

use kreg::cuda;
use kreg::kernels::reference;
use kreg::kernels::reference::workload::Random;

use crate::gpu::{close, gpu};

const EPS: f32 = 1e-5;

#[test]
fn rmsnorm() {
    let Some(gpu) = gpu() else { return };
    for n in [1, 31, 127, 128, 896, 4097, 20_000] {
        let mut random = Random::new(n as u64);
        let (x, w) = (random.activations(n), random.activations(n));
        let (dx, dw, mut y) = (gpu.up(&x), gpu.up(&w), gpu.fresh(n));
        let id = cuda::rmsnorm(&gpu.device, &dx.as_view(), &dw.as_view(), EPS, &mut y.as_view_mut()).unwrap();
        assert_eq!(id.as_str(), "cuda.rmsnorm.f32");
        close(&format!("rmsnorm {n}"), &gpu.down(&y), &reference::rmsnorm(&x, &w, EPS), 4e-7);
    }
}

#[test]
fn per_head() {
    let Some(gpu) = gpu() else { return };
    for (heads, d) in [(1, 1), (3, 64), (9, 128), (5, 256), (2, 300), (4, 80)] {
        let mut random = Random::new(d as u64);
        let (x, z, w) = (random.activations(heads * d), random.activations(heads * d), random.activations(d));
        let (dx, dz, dw) = (gpu.up(&x), gpu.up(&z), gpu.up(&w));
        let (dx, dz, dw) = (dx.as_view(), dz.as_view(), dw.as_view());
        let mut y = gpu.fresh(heads * d);
        let id = cuda::rmsnorm::per_head(&gpu.device, &dx, &dw, EPS, &mut y.as_view_mut()).unwrap();
        assert_eq!(id.as_str(), "cuda.rmsnorm.per_head.f32");
        close("per_head", &gpu.down(&y), &reference::rmsnorm_per_head(&x, &w, EPS), 4e-7);
        let id = cuda::rmsnorm::gated(&gpu.device, &dx, &dz, &dw, EPS, &mut y.as_view_mut()).unwrap();
        assert_eq!(id.as_str(), "cuda.rmsnorm.gated.f32");
        close("gated", &gpu.down(&y), &reference::rmsnorm_gated(&x, &z, &w, EPS), 5e-7);
        let mut y = gpu.up(&x);
        let id = cuda::l2norm::per_head(&gpu.device, &mut y.as_view_mut(), d, EPS).unwrap();
        assert_eq!(id.as_str(), "cuda.l2norm.per_head.f32");
        close("l2norm", &gpu.down(&y), &reference::l2norm_per_head(&x, d, EPS), 4e-7);
    }
}

#[test]
fn nan_infinity_and_zero_stay_in_their_head() {
    let Some(gpu) = gpu() else { return };
    let d = 64;
    let mut x = Random::new(1).activations(4 * d);
    (x[3], x[d + 5]) = (f32::NAN, f32::INFINITY);
    x[2 * d..3 * d].fill(0.0);
    let w = vec![1.0; d];
    let (dx, dw, mut y) = (gpu.up(&x), gpu.up(&w), gpu.fresh(4 * d));
    cuda::rmsnorm::per_head(&gpu.device, &dx.as_view(), &dw.as_view(), EPS, &mut y.as_view_mut()).unwrap();
    let got = gpu.down(&y);
    close("per_head", &got, &reference::rmsnorm_per_head(&x, &w, EPS), 4e-7);
    assert!(got[..d].iter().all(|y| y.is_nan()) && got[2 * d..3 * d].iter().all(|y| *y == 0.0));
    let mut y = gpu.up(&x);
    cuda::l2norm::per_head(&gpu.device, &mut y.as_view_mut(), d, EPS).unwrap();
    close("l2norm", &gpu.down(&y), &reference::l2norm_per_head(&x, d, EPS), 4e-7);
}
