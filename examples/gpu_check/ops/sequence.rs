//! Ops that know a position: rotary embedding, the cache and attention over it. Each reads it from device memory, as a
//! captured step does.

use kreg::args::{AttentionShape, RopeStyle};
use kreg::cuda::cudarc::driver::CudaSlice;
use kreg::cuda::{self, CudaViewMut, Device, Position};
use kreg::kernels::reference::bound::{self, Builtins, F32};
use kreg::kernels::reference::{self, rope};
use kreg::{KernelId, Refusal};

use super::{Bench, Case, Failed};
use crate::bounds::widen;

pub(super) const CASES: [Case; 6] = [
    Case {
        id: "cuda.rope.f32",
        formula: "(a cos t-b sin t, a sin t+b cos t), a=x[2i], b=x[2i+1], t=pos*theta^(-2i/d)",
        measure: |b| {
            let run: Turn = |device, x, d, pos| cuda::rope(device, x, d, pos, THETA);
            turn(b, run, |x, d, pos| rope::adjacent(x, d, pos, THETA), RopeStyle::Adjacent, 1)
        },
    },
    Case {
        id: "cuda.rope.neox.f32",
        formula: "(a cos t-b sin t, a sin t+b cos t), a=x[i], b=x[i+d/2], t=pos*theta^(-2i/d)",
        measure: |b| {
            let run: Turn = |device, x, d, pos| cuda::rope::neox(device, x, d, pos, THETA);
            turn(b, run, |x, d, pos| rope::neox(x, d, pos, THETA), RopeStyle::Neox, 1)
        },
    },
    Case {
        id: "cuda.rope.partial_neox.f32",
        formula: "as neox with d=n_rot, n_rot=d/4; the rest of a head as it is",
        measure: |b| {
            let run: Turn = |device, x, d, pos| cuda::rope::partial_neox(device, x, d, d / 4, pos, THETA);
            turn(b, run, |x, d, pos| rope::partial_neox(x, d, d / 4, pos, THETA), RopeStyle::Neox, 4)
        },
    },
    Case { id: "cuda.kv_write.f32", formula: "k_cache[h,pos]=k[h], v_cache[h,pos]=v[h]", measure: kv_write },
    Case {
        id: "cuda.attention.f32",
        formula: "sum_p softmax_p(scale*q.k_p)*v_p, cache [h,p,e]",
        measure: |b| attention(b, true),
    },
    Case {
        id: "cuda.attention.gdn_decode.f32",
        formula: "sum_p softmax_p(q.k_p/sqrt(d))*v_p, cache [p,h,e]",
        measure: |b| attention(b, false),
    },
];

const THETA: f32 = 1e6;
/// Where heads are turned to.
const POS: usize = 32_767;

type Turn = fn(&Device, &mut CudaViewMut<'_, f32>, usize, Position<'_>) -> Result<KernelId, Refusal>;

/// One part in `parts` of each head turns.
fn turn(
    b: &mut Bench<'_>,
    call: Turn,
    exact: impl Fn(&[f32], usize, usize) -> Vec<f64>,
    style: RopeStyle,
    parts: usize,
) -> Result<(), Failed> {
    let d = b.sizes.d;
    let ((x, mut dx), at, device) = (b.numbers(b.sizes.n)?, b.gpu.up(&[POS as u32])?, &b.gpu.device);
    let run = |x: &mut CudaSlice<f32>| call(device, &mut x.as_view_mut(), d, Position::At(&at.as_view()));
    let bounds = bound::rope(&x, (d, d / parts), POS, THETA, style);
    b.measure(&mut dx, run, |b, y| b.hold(y, &exact(&x, d, POS), &bounds))
}

/// Rows `[positions, kv]` as a cache of heads one after the other.
fn by_head(rows: &[f32], kv: usize, d: usize) -> Vec<f32> {
    let head = |h: usize| rows.chunks(kv).flat_map(move |row| &row[h * d..(h + 1) * d]);
    (0..kv / d).flat_map(head).copied().collect()
}

fn kv_write(b: &mut Bench<'_>) -> Result<(), Failed> {
    let (kv, d, max) = (b.sizes.kv, b.sizes.d, b.sizes.max);
    let ((k, dk), (v, dv)) = (b.numbers(kv)?, b.numbers(kv)?);
    let (before, dc) = b.numbers(max * kv)?;
    let (mut caches, at) = ((dc, b.gpu.up(&before)?), b.gpu.up(&[max as u32 - 1])?);
    let device = &b.gpu.device;
    let run = |(kc, vc): &mut (CudaSlice<f32>, CudaSlice<f32>)| {
        let (at, k, v) = (at.as_view(), dk.as_view(), dv.as_view());
        cuda::kv_write(device, &k, &v, Position::At(&at), d, &mut kc.as_view_mut(), &mut vc.as_view_mut())
    };
    b.measure(&mut caches, run, |b, (kc, vc)| {
        for (got, row) in [(kc, &k), (vc, &v)] {
            let mut exact = before.clone();
            for (head, cache) in row.chunks(d).zip(exact.chunks_mut(max * d)) {
                cache[(max - 1) * d..].copy_from_slice(head);
            }
            b.hold(got, &widen(&exact), &bound::exact(max * kv))?;
        }
        Ok(())
    })
}

/// Over the whole cache; `by_heads` says which of the two layouts, and rows, it is.
fn attention(b: &mut Bench<'_>, by_heads: bool) -> Result<(), Failed> {
    let (n, kv, d, max) = (b.sizes.n, b.sizes.kv, b.sizes.d, b.sizes.max);
    let ((q, dq), (k, dk), (v, dv)) = (b.numbers(n)?, b.numbers(max * kv)?, b.numbers(max * kv)?);
    let (dk, dv) = match by_heads {
        true => (b.gpu.up(&by_head(&k, kv, d))?, b.gpu.up(&by_head(&v, kv, d))?),
        false => (dk, dv),
    };
    let scale = (1.0 / (d as f64).sqrt()) as f32;
    let shape = AttentionShape { heads: n / d, kv_heads: kv / d, head_dim: d, scale, softcap: None };
    let (mut out, at, device) = (b.fresh(n)?, b.gpu.up(&[max as u32 - 1])?, &b.gpu.device);
    let run = |out: &mut CudaSlice<f32>| {
        let (at, q, k, v, y) =
            (at.as_view(), dq.as_view(), dk.as_view(), dv.as_view(), &mut out.as_view_mut());
        match by_heads {
            true => cuda::attention(device, &q, &k, &v, Position::At(&at), shape, y),
            false => cuda::attention::gdn_decode(device, &q, &k, &v, Position::At(&at), kv / d, d, y),
        }
    };
    b.measure(&mut out, run, |b, y| {
        let ((k_cache, last_k), (v_cache, last_v)) = (k.split_at((max - 1) * kv), v.split_at((max - 1) * kv));
        let exact = reference::attention(&q, k_cache, v_cache, last_k, last_v, n / d, kv / d, scale, None);
        b.hold(y, &exact, &bound::attention(&q, &k, &v, shape, F32, &Builtins::CUDA)?)
    })
}
