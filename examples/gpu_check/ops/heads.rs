//! The norms.

use kreg::cuda;
use kreg::cuda::cudarc::driver::CudaSlice;
use kreg::kernels::reference;
use kreg::kernels::reference::bound::{self, F32};

use super::{Bench, Case, Failed};
use crate::bounds;

pub(super) const CASES: [Case; 4] = [
    Case { id: "cuda.rmsnorm.f32", formula: "x*w/sqrt(mean(x^2)+eps)", measure: rmsnorm },
    Case {
        id: "cuda.rmsnorm.per_head.f32",
        formula: "x*w/sqrt(mean(x^2)+eps) in each head",
        measure: per_head,
    },
    Case {
        id: "cuda.rmsnorm.gated.f32",
        formula: "x*w/sqrt(mean(x^2)+eps)*z/(1+exp(-z)) in each head",
        measure: gated,
    },
    Case { id: "cuda.l2norm.per_head.f32", formula: "x/sqrt(sum(x^2)+eps) in each head", measure: l2norm },
];

const EPS: f32 = 1e-5;

fn rmsnorm(b: &mut Bench<'_>) -> Result<(), Failed> {
    let n = b.sizes.n;
    let ((x, dx), (w, dw), mut y) = (b.numbers(n)?, b.numbers(n)?, b.fresh(n)?);
    let device = &b.gpu.device;
    let run = |y: &mut CudaSlice<f32>| {
        cuda::rmsnorm(device, &dx.as_view(), &dw.as_view(), EPS, &mut y.as_view_mut())
    };
    b.measure(&mut y, run, |b, y| {
        b.hold(y, &reference::rmsnorm(&x, &w, EPS), &bound::rmsnorm(&x, &w, EPS, F32)?)
    })
}

fn per_head(b: &mut Bench<'_>) -> Result<(), Failed> {
    let n = b.sizes.n;
    let ((x, dx), (w, dw), mut y) = (b.numbers(n)?, b.numbers(b.sizes.d)?, b.fresh(n)?);
    let device = &b.gpu.device;
    let run = |y: &mut CudaSlice<f32>| {
        cuda::rmsnorm::per_head(device, &dx.as_view(), &dw.as_view(), EPS, &mut y.as_view_mut())
    };
    b.measure(&mut y, run, |b, y| {
        b.hold(y, &reference::rmsnorm_per_head(&x, &w, EPS), &bounds::per_head(&x, &w, EPS)?)
    })
}

fn gated(b: &mut Bench<'_>) -> Result<(), Failed> {
    let n = b.sizes.n;
    let ((x, dx), (z, dz), (w, dw), mut y) =
        (b.numbers(n)?, b.numbers(n)?, b.numbers(b.sizes.d)?, b.fresh(n)?);
    let device = &b.gpu.device;
    let run = |y: &mut CudaSlice<f32>| {
        let (x, z, w) = (dx.as_view(), dz.as_view(), dw.as_view());
        cuda::rmsnorm::gated(device, &x, &z, &w, EPS, &mut y.as_view_mut())
    };
    b.measure(&mut y, run, |b, y| {
        let exact = reference::rmsnorm_gated(&x, &z, &w, EPS);
        b.hold(y, &exact, &bounds::gated(&x, &z, &w, EPS, &exact)?)
    })
}

fn l2norm(b: &mut Bench<'_>) -> Result<(), Failed> {
    let d = b.sizes.d;
    let (x, mut dx) = b.numbers(b.sizes.n)?;
    let device = &b.gpu.device;
    let run = |x: &mut CudaSlice<f32>| cuda::l2norm::per_head(device, &mut x.as_view_mut(), d, EPS);
    b.measure(&mut dx, run, |b, y| {
        b.hold(y, &reference::l2norm_per_head(&x, d, EPS), &bounds::l2norm(&x, d, EPS)?)
    })
}
