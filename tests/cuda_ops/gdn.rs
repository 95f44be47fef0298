//! conv1d.silu, gdn_gates, delta_rule: the ops that carry a state.

use kreg::cuda;
use kreg::kernels::reference;
use kreg::kernels::reference::workload::Random;

use crate::gpu::{close, gpu, widen};

#[test]
fn conv1d() {
    let Some(gpu) = gpu() else { return };
    for (channels, taps) in [(1, 2), (127, 4), (128, 4), (4097, 4), (300, 7)] {
        let mut random = Random::new(channels as u64);
        let (weight, mut state) =
            (random.activations(channels * taps), random.activations(channels * (taps - 1)));
        let (dw, mut ds, mut out) = (gpu.up(&weight), gpu.up(&state), gpu.fresh(channels));
        for _ in 0..taps + 1 {
            let x = random.activations(channels);
            let dx = gpu.up(&x);
            let (s, y) = (&mut ds.as_view_mut(), &mut out.as_view_mut());
            let id = cuda::conv1d::silu(&gpu.device, &dx.as_view(), s, &dw.as_view(), y).unwrap();
            assert_eq!(id.as_str(), "cuda.conv1d.silu.f32");
            let (exact, next) = reference::conv1d_silu(&x, &state, &weight);
            close("conv1d", &gpu.down(&out), &exact, 5e-7);
            assert_eq!(gpu.down(&ds), next);
            state = next;
        }
    }
}

#[test]
fn gates() {
    let Some(gpu) = gpu() else { return };
    for n in [1, 16, 127, 4097] {
        let mut random = Random::new(n as u64);
        let mut vec = |scale: f32| random.activations(n).iter().map(|x| x * scale).collect::<Vec<_>>();
        let (mut alpha, bias, a, beta) = (vec(20.0), vec(1.0), vec(-2.0), vec(10.0));
        if n > 100 {
            alpha[..6].copy_from_slice(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 90.0, -120.0, 20.0]);
        }
        let [da, db, dc, dd] = [&alpha, &bias, &a, &beta].map(|x| gpu.up(x));
        let (mut g, mut b) = (gpu.fresh(n), gpu.fresh(n));
        let (gv, bv) = (&mut g.as_view_mut(), &mut b.as_view_mut());
        let (da, db, dc, dd) = (da.as_view(), db.as_view(), dc.as_view(), dd.as_view());
        let id = cuda::gdn_gates(&gpu.device, &da, &db, &dc, &dd, gv, bv).unwrap();
        assert_eq!(id.as_str(), "cuda.gdn_gates.f32");
        let exact = reference::gdn_gates(&alpha, &bias, &a, &beta);
        close("g", &gpu.down(&g), &exact.0, 3e-7);
        close("beta", &gpu.down(&b), &exact.1, 3e-7);
    }
}

/// Value heads, key heads, widths of keys and values; the state is carried over steps.
#[test]
fn delta_rule() {
    let Some(gpu) = gpu() else { return };
    let shapes = [
        (2, 1, 2, 2),
        (16, 16, 128, 128),
        (32, 16, 128, 128),
        (48, 16, 64, 33),
        (6, 2, 256, 17),
        (3, 3, 5, 7),
    ];
    for (nv, nk, dk, dv) in shapes {
        let mut random = Random::new((nv * dk) as u64);
        let mut state = random.activations(nv * dv * dk);
        let (mut ds, mut out) = (gpu.up(&state), gpu.fresh(nv * dv));
        for step in 0..3 {
            let (q, v) = (random.activations(nk * dk), random.activations(nv * dv));
            let k: Vec<f32> = random.activations(nk * dk).iter().map(|k| k / (dk as f32).sqrt()).collect();
            let beta: Vec<f32> = (0..nv).map(|_| random.between(0.0, 1.0) as f32).collect();
            let g: Vec<f32> = (0..nv).map(|_| random.between(-3.0, 0.0) as f32).collect();
            let [dq, dk_, dv_, db, dg] = [&q, &k, &v, &beta, &g].map(|x| gpu.up(x));
            let (q_, k_, v_) = (dq.as_view(), dk_.as_view(), dv_.as_view());
            let (s, y) = (&mut ds.as_view_mut(), &mut out.as_view_mut());
            let (b_, g_) = (db.as_view(), dg.as_view());
            let id = cuda::delta_rule(&gpu.device, &q_, &k_, &v_, &b_, &g_, nk, s, y).unwrap();
            assert_eq!(id.as_str(), "cuda.delta_rule.f32");
            let (exact, next) = reference::delta_rule(&q, &k, &v, &beta, &g, &state, nk);
            let what = format!("{nv} of {nk} heads, {dk} x {dv}, step {step}");
            close(&what, &gpu.down(&out), &exact, 1e-6);
            state = gpu.down(&ds);
            close(&what, &state, &next, 1e-6);
        }
    }
}

#[test]
fn nan_stays_in_its_head() {
    let Some(gpu) = gpu() else { return };
    let (nv, dk, dv) = (4, 64, 32);
    let mut random = Random::new(5);
    let state = random.activations(nv * dv * dk);
    let (q, k, mut v) = (random.activations(2 * dk), random.activations(2 * dk), random.activations(nv * dv));
    v[dv + 3] = f32::NAN;
    let (mut ds, mut out) = (gpu.up(&state), gpu.fresh(nv * dv));
    let [dq, dk_, dv_, db, dg] = [&q, &k, &v, &vec![0.5; nv], &vec![-0.5; nv]].map(|x| gpu.up(x));
    let (s, y) = (&mut ds.as_view_mut(), &mut out.as_view_mut());
    let (q_, k_, v_, b_, g_) = (dq.as_view(), dk_.as_view(), dv_.as_view(), db.as_view(), dg.as_view());
    cuda::delta_rule(&gpu.device, &q_, &k_, &v_, &b_, &g_, 2, s, y).unwrap();
    let out = gpu.down(&out);
    assert_eq!((0..out.len()).filter(|&i| out[i].is_nan()).collect::<Vec<_>>(), [dv + 3]);
    let (exact, next) = reference::delta_rule(&q, &k, &v, &[0.5; 4], &[-0.5; 4], &state, 2);
    close("out", &out, &exact, 1e-6);
    close("state", &gpu.down(&ds), &next, 1e-6);
    assert_eq!(widen(&state).len(), next.len());
}
