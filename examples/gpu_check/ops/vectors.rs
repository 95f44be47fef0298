//! Ops whose outputs are each made of a few inputs.

use kreg::cuda::{self, CudaView, CudaViewMut, Device, Position};
use kreg::kernels::reference;
use kreg::kernels::reference::bound::{self, Builtins};
use kreg::{KernelId, Refusal};

use super::{Bench, Case, Failed};
use crate::bounds::{self, widen};

pub(super) const CASES: [Case; 6] = [
    Case { id: "cuda.swiglu.f32", formula: "g/(1+exp(-g))*u", measure: swiglu },
    Case { id: "cuda.elementwise_mul.f32", formula: "fl(a*b)", measure: elementwise_mul },
    Case { id: "cuda.residual_add.f32", formula: "fl(h+d)", measure: residual_add },
    Case { id: "cuda.sigmoid_gate.f32", formula: "x/(1+exp(-g))", measure: sigmoid_gate },
    Case { id: "cuda.split.interleaved.f32", formula: "q[h,e]=x[h,0,e], g[h,e]=x[h,1,e]", measure: split },
    Case { id: "cuda.embed.f32", formula: "E[token]", measure: embed },
];

/// An op of two vectors.
type Two = fn(
    &Device,
    &CudaView<'_, f32>,
    &CudaView<'_, f32>,
    &mut CudaViewMut<'_, f32>,
) -> Result<KernelId, Refusal>;

/// Runs one on seeded vectors; `exact` gives exact values and bounds.
fn two(
    b: &mut Bench<'_>,
    call: Two,
    exact: impl FnOnce(&[f32], &[f32]) -> (Vec<f64>, Vec<f64>),
) -> Result<(), Failed> {
    let n = b.sizes.n;
    let ((x, dx), (w, dw)) = (b.numbers(n)?, b.numbers(n)?);
    let (mut y, device) = (b.fresh(n)?, &b.gpu.device);
    let run = |y: &mut _| call(device, &dx.as_view(), &dw.as_view(), &mut view(y));
    b.measure(&mut y, run, |b, y| {
        let (exact, bounds) = exact(&x, &w);
        b.hold(y, &exact, &bounds)
    })
}

/// All of a buffer.
fn view(y: &mut cuda::cudarc::driver::CudaSlice<f32>) -> CudaViewMut<'_, f32> {
    y.as_view_mut()
}

fn swiglu(b: &mut Bench<'_>) -> Result<(), Failed> {
    let call: Two = |d, g, u, y| cuda::swiglu(d, g, u, y);
    two(b, call, |g, u| (reference::swiglu(g, u), bound::swiglu(g, u, &Builtins::CUDA)))
}

fn elementwise_mul(b: &mut Bench<'_>) -> Result<(), Failed> {
    let call: Two = |d, x, w, y| cuda::elementwise_mul(d, x, w, y);
    // The product of two f32 is exact in f64: one rounding is left.
    let rounded = |y: Vec<f64>| y.into_iter().map(|y| f64::from(y as f32)).collect();
    two(b, call, |x, w| (rounded(reference::elementwise_mul(x, w)), bound::exact(x.len())))
}

fn residual_add(b: &mut Bench<'_>) -> Result<(), Failed> {
    let call: Two = |d, h, x, y| cuda::residual_add(d, h, x, y);
    two(b, call, |h, x| (widen(&reference::residual_add(h, x)), bound::exact(h.len())))
}

fn sigmoid_gate(b: &mut Bench<'_>) -> Result<(), Failed> {
    let n = b.sizes.n;
    let ((x, mut dx), (g, dg)) = (b.numbers(n)?, b.numbers(n)?);
    let device = &b.gpu.device;
    let run = |x: &mut _| cuda::sigmoid_gate(device, &mut view(x), &dg.as_view());
    b.measure(&mut dx, run, |b, y| {
        let exact = reference::sigmoid_gate(&x, &g);
        b.hold(y, &exact, &bounds::logistic(&exact))
    })
}

fn split(b: &mut Bench<'_>) -> Result<(), Failed> {
    let (n, d) = (b.sizes.n, b.sizes.d);
    let (x, dx) = b.numbers(2 * n)?;
    let (mut parts, device) = ((b.fresh(n)?, b.fresh(n)?), &b.gpu.device);
    let run =
        |(q, g): &mut (_, _)| cuda::split::interleaved(device, &dx.as_view(), d, &mut view(q), &mut view(g));
    b.measure(&mut parts, run, |b, (query, gate)| {
        let (q, g) = reference::split_interleaved(&x, d);
        b.hold(query, &widen(&q), &bound::exact(n))?;
        b.hold(gate, &widen(&g), &bound::exact(n))
    })
}

fn embed(b: &mut Bench<'_>) -> Result<(), Failed> {
    const TOKENS: usize = 100;
    let n = b.sizes.n;
    let (table, dt) = b.numbers(TOKENS * n)?;
    let (mut y, at, device) = (b.fresh(n)?, b.gpu.up(&[TOKENS as u32 - 1])?, &b.gpu.device);
    let run = |y: &mut _| cuda::embed(device, &dt.as_view(), Position::At(&at.as_view()), &mut view(y));
    b.measure(&mut y, run, |b, y| {
        let exact = reference::embed(&table, TOKENS as u32 - 1, n).ok_or("no such token")?;
        b.hold(y, &widen(&exact), &bound::exact(n))
    })
}
