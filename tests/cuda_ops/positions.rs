//! Positions at and past the capacity: refused by value, found out by the kernel when they lie in device memory. Either
//! way nothing changes.

use kreg::args::AttentionShape;
use kreg::cuda::{self, Position};
use kreg::kernels::reference;

use crate::gpu::{UNTOUCHED, gpu};

const MAX: usize = 300;
const SHAPE: AttentionShape =
    AttentionShape { heads: 4, kv_heads: 2, head_dim: 64, scale: 0.125, softcap: None };
const KV: usize = 128;

#[test]
fn kv_write_stores_bits_where_attention_reads_them() {
    let Some(gpu) = gpu() else { return };
    let k: Vec<f32> = (0..KV).map(|i| f32::from_bits(0x7fc0_0000 + i as u32)).collect();
    let v: Vec<f32> = (0..KV).map(|i| i as f32).collect();
    let (dk, dv) = (gpu.up(&k), gpu.up(&v));
    let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for head_dim in [64, 128, 1] {
        for pos in [0, 1, MAX - 1] {
            let (mut kc, mut vc) = (gpu.fresh(MAX * KV), gpu.fresh(MAX * KV));
            let at = gpu.up(&[pos as u32]);
            let at = at.as_view();
            let position = if pos == 1 { Position::At(&at) } else { Position::Value(pos) };
            let (kv, vv) = (&mut kc.as_view_mut(), &mut vc.as_view_mut());
            let id = cuda::kv_write(&gpu.device, &dk.as_view(), &dv.as_view(), position, head_dim, kv, vv)
                .unwrap();
            assert_eq!(id.as_str(), "cuda.kv_write.f32");
            let stored = |row: &[f32]| {
                let heads = row.chunks(head_dim);
                let empty = vec![UNTOUCHED; MAX * head_dim];
                heads.flat_map(|head| reference::kv_write(&empty, head, pos).unwrap()).collect::<Vec<_>>()
            };
            assert_eq!(bits(&gpu.down(&kc)), bits(&stored(&k)), "{head_dim} {pos}");
            assert_eq!(bits(&gpu.down(&vc)), bits(&stored(&v)), "{head_dim} {pos}");
        }
    }
    assert_eq!(gpu.device.fault(), Ok(()));
}

#[test]
fn at_capacity() {
    let Some(gpu) = gpu() else { return };
    let (k, v, q) = (gpu.up(&[1.0; KV]), gpu.up(&[2.0; KV]), gpu.up(&[1.0; 256]));
    let (k, v, q) = (k.as_view(), v.as_view(), q.as_view());
    let (mut kc, mut vc, mut out) = (gpu.fresh(MAX * KV), gpu.fresh(MAX * KV), gpu.fresh(256));
    let d = &gpu.device;
    for pos in [MAX, MAX + 1, u32::MAX as usize, usize::MAX] {
        let at = gpu.up(&[pos as u32]);
        let at = at.as_view();
        for position in [Position::Value(pos), Position::At(&at)] {
            let calls: [&mut dyn FnMut() -> Result<kreg::KernelId, kreg::kernels::Refusal>; 3] = [
                &mut || cuda::kv_write(d, &k, &v, position, 64, &mut kc.as_view_mut(), &mut vc.as_view_mut()),
                &mut || {
                    let (kc, vc) = (gpu.fresh(MAX * KV), gpu.fresh(MAX * KV));
                    cuda::attention(
                        d,
                        &q,
                        &kc.as_view(),
                        &vc.as_view(),
                        position,
                        SHAPE,
                        &mut out.as_view_mut(),
                    )
                },
                &mut || {
                    let (kc, vc) = (gpu.fresh(MAX * KV), gpu.fresh(MAX * KV));
                    let mut out = gpu.fresh(256);
                    let (kc, vc, y) = (kc.as_view(), vc.as_view(), &mut out.as_view_mut());
                    cuda::attention::gdn_decode(d, &q, &kc, &vc, position, 2, 64, y)
                },
            ];
            for call in calls {
                match position {
                    Position::Value(_) => assert_eq!(call().unwrap_err().code(), "KR-S05"),
                    Position::At(_) => {
                        call().unwrap();
                        let fault = d.fault().unwrap_err();
                        assert_eq!(fault.code(), "KR-D08");
                        assert!(fault.to_string().contains("position"), "{fault}");
                        assert_eq!(d.fault(), Ok(()), "reported once");
                    }
                }
            }
        }
    }
    for buffer in [&kc, &vc, &out] {
        assert!(gpu.down(buffer).iter().all(|x| *x == UNTOUCHED));
    }
}

#[test]
fn a_token_outside_the_table() {
    let Some(gpu) = gpu() else { return };
    let (table, mut out, at) = (gpu.up(&[1.0; 8]), gpu.fresh(2), gpu.up(&[4u32]));
    let (table, at) = (table.as_view(), at.as_view());
    let refused = cuda::embed(&gpu.device, &table, Position::Value(4), &mut out.as_view_mut()).unwrap_err();
    assert_eq!(refused.code(), "KR-S05");
    cuda::embed(&gpu.device, &table, Position::At(&at), &mut out.as_view_mut()).unwrap();
    assert!(gpu.device.fault().unwrap_err().to_string().contains("token"));
    assert_eq!(gpu.down(&out), [UNTOUCHED; 2]);
}

/// While a fault stands no state moves on; once it is read, the next step does.
#[test]
fn a_fault_keeps_states_and_caches() {
    let Some(gpu) = gpu() else { return };
    let d = &gpu.device;
    let at = gpu.up(&[MAX as u32]);
    let x = gpu.up(&[0.5; 8]);
    let (x, w) = (x.as_view(), gpu.up(&[0.25; 16]));
    let (mut conv, mut state, mut out) = (gpu.fresh(8), gpu.fresh(4), gpu.fresh(8));
    let (mut kc, mut vc) = (gpu.fresh(8), gpu.fresh(8));
    let mut step = || {
        cuda::conv1d::silu(d, &x, &mut conv.as_view_mut(), &w.as_view(), &mut out.as_view_mut()).unwrap();
        let two = x.slice(..2);
        let (s, y) = (&mut state.as_view_mut(), &mut out.slice_mut(..2));
        cuda::delta_rule(d, &two, &two, &two, &x.slice(..1), &x.slice(..1), 1, s, y).unwrap();
        let (kc, vc) = (&mut kc.as_view_mut(), &mut vc.as_view_mut());
        cuda::kv_write(d, &two, &two, Position::Value(0), 2, kc, vc).unwrap();
    };
    cuda::admit(d, Position::At(&at.as_view()), MAX).unwrap();
    step();
    assert_eq!(d.fault().unwrap_err().code(), "KR-D08");
    let untouched = [gpu.down(&conv), gpu.down(&state), gpu.down(&kc), gpu.down(&vc)].concat();
    assert!(untouched.iter().all(|x| *x == UNTOUCHED));
    let mut step = || {
        cuda::conv1d::silu(d, &x, &mut conv.as_view_mut(), &w.as_view(), &mut out.as_view_mut()).unwrap();
    };
    cuda::admit(d, Position::Value(MAX - 1), MAX).unwrap();
    step();
    assert_eq!(d.fault(), Ok(()));
    assert!(gpu.down(&conv).iter().all(|x| *x == 0.5));
    assert_eq!(cuda::admit(d, Position::Value(MAX), MAX).unwrap_err().code(), "KR-S05");
}

/// Faults that were found before anybody asked are reported together, once.
#[test]
fn two_faults_are_reported_together_and_forgotten() {
    let Some(gpu) = gpu() else { return };
    let d = &gpu.device;
    let (far, table, mut out) = (gpu.up(&[MAX as u32]), gpu.up(&[1.0; 8]), gpu.fresh(2));
    let (far, table) = (far.as_view(), table.as_view());
    cuda::admit(d, Position::At(&far), MAX).unwrap();
    cuda::embed(d, &table, Position::At(&far), &mut out.as_view_mut()).unwrap();
    let text = d.fault().unwrap_err().to_string();
    assert!(text.contains("position") && text.contains("token"), "{text}");
    assert!(d.fault().is_ok());
}
