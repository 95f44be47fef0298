//! The vectors of `fixtures/golden.json` that are about ops of this backend, and those that only it has.

use kreg::args::AttentionShape;
use kreg::cuda::{self, Position};

use crate::gpu::{close, gpu};

#[test]
fn what_can_be_worked_out_by_hand() {
    let Some(gpu) = gpu() else { return };
    let d = &gpu.device;
    let x = gpu.up(&[1.0, -2.0, 3.0, -4.0]);
    let (w, mut y) = (gpu.up(&[0.5, 1.0, 1.5, 2.0]), gpu.fresh(4));
    cuda::rmsnorm(d, &x.as_view(), &w.as_view(), 1e-5, &mut y.as_view_mut()).unwrap();
    close("rmsnorm", &gpu.down(&y), &[0.182574064, -0.730296256, 1.64316658, -2.92118503], 3e-7);

    let (x, z, w, mut y) = (gpu.up(&[1.0, -3.0]), gpu.up(&[0.5, -1.0]), gpu.up(&[2.0, 0.5]), gpu.fresh(2));
    cuda::rmsnorm::gated(d, &x.as_view(), &z.as_view(), &w.as_view(), 1e-6, &mut y.as_view_mut()).unwrap();
    close("gated", &gpu.down(&y), &[0.278372248, 0.180411372], 3e-7);

    let mut x = gpu.up(&[3.0, 4.0]);
    cuda::l2norm::per_head(d, &mut x.as_view_mut(), 2, 1e-6).unwrap();
    close("l2norm", &gpu.down(&x), &[0.599999988, 0.799999984], 3e-7);

    let (gate, up, mut y) = (gpu.up(&[1.0, -1.0, 0.0, 4.0]), gpu.up(&[2.0, 3.0, 5.0, -0.5]), gpu.fresh(4));
    cuda::swiglu(d, &gate.as_view(), &up.as_view(), &mut y.as_view_mut()).unwrap();
    close("swiglu", &gpu.down(&y), &[1.46211716, -0.806824264, 0.0, -1.96402758], 3e-7);

    let heads = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let mut x = gpu.up(&heads[..4]);
    cuda::rope(d, &mut x.as_view_mut(), 4, Position::Value(3), 1e4).unwrap();
    close("rope", &gpu.down(&x), &[-1.27223251, -1.83886499, 2.8786681, 4.08818664], 3e-7);
    let mut x = gpu.up(&heads[..4]);
    cuda::rope::neox(d, &mut x.as_view_mut(), 4, Position::Value(3), 1e4).unwrap();
    let neox = [-1.41335252, 1.87911807, -2.82885748, 4.05819114];
    close("neox", &gpu.down(&x), &neox, 3e-7);
    let mut x = gpu.up(&heads);
    cuda::rope::partial_neox(d, &mut x.as_view_mut(), 6, 4, Position::Value(3), 1e4).unwrap();
    close("partial", &gpu.down(&x), &[&neox[..], &[5.0, 6.0]].concat(), 3e-7);
}

#[test]
fn attention() {
    let Some(gpu) = gpu() else { return };
    let shape = AttentionShape {
        heads: 2,
        kv_heads: 1,
        head_dim: 2,
        scale: std::f32::consts::FRAC_1_SQRT_2,
        softcap: None,
    };
    let (q, k, v) =
        (gpu.up(&[1.0, 0.0, 0.0, 2.0]), gpu.up(&[1.0, 1.0, 2.0, 0.0]), gpu.up(&[1.0, 2.0, 3.0, 4.0]));
    let (q, k, v) = (q.as_view(), k.as_view(), v.as_view());
    let want = [2.3395231, 3.3395231, 1.39114063, 2.39114063];
    let (mut y, pos) = (gpu.fresh(4), Position::Value(1));
    cuda::attention(&gpu.device, &q, &k, &v, pos, shape, &mut y.as_view_mut()).unwrap();
    close("attention", &gpu.down(&y), &want, 3e-7);
    cuda::attention::gdn_decode(&gpu.device, &q, &k, &v, pos, 1, 2, &mut y.as_view_mut()).unwrap();
    close("gdn_decode", &gpu.down(&y), &want, 3e-7);
}

#[test]
fn gated_delta_net() {
    let Some(gpu) = gpu() else { return };
    let d = &gpu.device;
    let [alpha, bias, a, raw] =
        [[0.5, 40.0], [0.25, 0.1], [-1.5, -0.2], [0.3, -2.0]].map(|x: [f32; 2]| gpu.up(&x));
    let (mut g, mut beta) = (gpu.fresh(2), gpu.fresh(2));
    let (gv, bv) = (&mut g.as_view_mut(), &mut beta.as_view_mut());
    cuda::gdn_gates(d, &alpha.as_view(), &bias.as_view(), &a.as_view(), &raw.as_view(), gv, bv).unwrap();
    close("g", &gpu.down(&g), &[-1.70530651, -8.02], 3e-7);
    close("beta", &gpu.down(&beta), &[0.574442517, 0.119202922], 3e-7);

    let (x, w, mut y) = (gpu.up(&[0.5]), gpu.up(&[1.0, 2.0, 3.0, 4.0]), gpu.fresh(1));
    let mut state = gpu.up(&[0.1, 0.2, 0.3]);
    let (s, out) = (&mut state.as_view_mut(), &mut y.as_view_mut());
    cuda::conv1d::silu(d, &x.as_view(), s, &w.as_view(), out).unwrap();
    close("conv1d", &gpu.down(&y), &[3.29019542], 3e-7);
    assert_eq!(gpu.down(&state), [0.2, 0.3, 0.5]);

    let [q, k, beta, g] = [[1.0, 2.0], [0.5, 0.5], [0.5, 0.25], [0.0, -0.5]].map(|x: [f32; 2]| gpu.up(&x));
    let (v, mut y) = (gpu.up(&[1.0, -1.0, 2.0, 0.0]), gpu.fresh(4));
    let mut state = gpu.up(&[1.0, 0.0, 0.0, 1.0, 0.5, 0.25, -0.5, 1.0]);
    let (s, out) = (&mut state.as_view_mut(), &mut y.as_view_mut());
    let (q, k, v, beta, g) = (q.as_view(), k.as_view(), v.as_view(), beta.as_view(), g.as_view());
    cuda::delta_rule(d, &q, &k, &v, &beta, &g, 1, s, out).unwrap();
    close("out", &gpu.down(&y), &[0.972271824, 0.618718434, 0.898900505, 0.603115232], 4e-7);
    let want = [1.125, 0.125, -0.375, 0.625, 0.524834205, 0.37320154, -0.322219413, 0.587576577];
    close("state", &gpu.down(&state), &want, 4e-7);
}
