//! The ops of a gated delta net: two of them carry a state.

use kreg::cuda;
use kreg::cuda::cudarc::driver::CudaSlice;
use kreg::kernels::reference::{self, bound};

use super::{Bench, Case, Failed};
use crate::bounds::{self, Step, widen};

pub(super) const CASES: [Case; 3] = [
    Case { id: "cuda.conv1d.silu.f32", formula: "y/(1+exp(-y)), y=sum_t w_t*x_t", measure: conv1d },
    Case {
        id: "cuda.gdn_gates.f32",
        formula: "ln(1+exp(alpha+dt_bias))*a, 1/(1+exp(-beta))",
        measure: gates,
    },
    Case {
        id: "cuda.delta_rule.f32",
        formula: "S*=exp(g), S+=beta*(v-S k)k^T, out=S q/sqrt(dk)",
        measure: delta_rule,
    },
];

type Pair = (CudaSlice<f32>, CudaSlice<f32>);

fn conv1d(b: &mut Bench<'_>) -> Result<(), Failed> {
    const TAPS: usize = 4;
    let n = b.sizes.n;
    let ((x, dx), (w, dw)) = (b.numbers(n)?, b.numbers(n * TAPS)?);
    let (state, ds) = b.numbers(n * (TAPS - 1))?;
    let (mut moving, device) = ((ds, b.fresh(n)?), &b.gpu.device);
    let run = |(state, y): &mut Pair| {
        cuda::conv1d::silu(
            device,
            &dx.as_view(),
            &mut state.as_view_mut(),
            &dw.as_view(),
            &mut y.as_view_mut(),
        )
    };
    b.measure(&mut moving, run, |b, (moved, y)| {
        let (exact, next) = reference::conv1d_silu(&x, &state, &w);
        b.hold(y, &exact, &bounds::conv1d(&x, &state, &w, &exact)?)?;
        b.hold(moved, &widen(&next), &bound::exact(next.len()))
    })
}

fn gates(b: &mut Bench<'_>) -> Result<(), Failed> {
    let n = b.sizes.n;
    let ((alpha, d0), (bias, d1)) = (b.numbers(n)?, b.numbers(n)?);
    let ((a, d2), (raw, d3)) = (b.numbers(n)?, b.numbers(n)?);
    let (mut out, device) = ((b.fresh(n)?, b.fresh(n)?), &b.gpu.device);
    let run = |(g, beta): &mut Pair| {
        let (alpha, bias, a, raw) = (d0.as_view(), d1.as_view(), d2.as_view(), d3.as_view());
        cuda::gdn_gates(device, &alpha, &bias, &a, &raw, &mut g.as_view_mut(), &mut beta.as_view_mut())
    };
    b.measure(&mut out, run, |b, (g, beta)| {
        let exact = reference::gdn_gates(&alpha, &bias, &a, &raw);
        b.hold(g, &exact.0, &bounds::decay(&alpha, &bias, &a, &exact.0))?;
        b.hold(beta, &exact.1, &bounds::logistic(&exact.1))
    })
}

fn delta_rule(b: &mut Bench<'_>) -> Result<(), Failed> {
    let (d, nv) = (b.sizes.d, b.sizes.n / b.sizes.d);
    let nk = nv / 2;
    let ((q, dq), (v, dv)) = (b.numbers(nk * d)?, b.numbers(nv * d)?);
    let (state, ds) = b.numbers(nv * d * d)?;
    // Keys of about length 1: the state stays bounded when the step is repeated.
    let k: Vec<f32> = b.random.activations(nk * d).iter().map(|k| k / (d as f32).sqrt()).collect();
    let mut between = |low, high| (0..nv).map(|_| b.random.between(low, high) as f32).collect::<Vec<_>>();
    let (beta, g) = (between(0.0, 1.0), between(-3.0, 0.0));
    let [dk, db, dg] = [b.gpu.up(&k)?, b.gpu.up(&beta)?, b.gpu.up(&g)?];
    let (mut moving, device) = ((ds, b.fresh(nv * d)?), &b.gpu.device);
    let run = |(state, y): &mut Pair| {
        let (q, k, v, beta, g) = (dq.as_view(), dk.as_view(), dv.as_view(), db.as_view(), dg.as_view());
        let (state, y) = (&mut state.as_view_mut(), &mut y.as_view_mut());
        cuda::delta_rule(device, &q, &k, &v, &beta, &g, nk, state, y)
    };
    b.measure(&mut moving, run, |b, (moved, y)| {
        let exact = reference::delta_rule(&q, &k, &v, &beta, &g, &state, nk);
        let step = Step { q: &q, k: &k, v: &v, beta: &beta, g: &g, state: &state, key_heads: nk };
        let bounds = bounds::delta_rule(&step)?;
        b.hold(y, &exact.0, &bounds.0)?;
        b.hold(moved, &exact.1, &bounds.1)
    })
}
