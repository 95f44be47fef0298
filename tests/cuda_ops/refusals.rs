//! Arguments that do not fit: a code each, and nothing launched. Lengths of 0 are among them.

use kreg::args::AttentionShape;
use kreg::cuda::{self, Position};
use kreg::kernels::Refusal;
use kreg::{KernelId, cuda::CudaView};

use crate::gpu::{UNTOUCHED, gpu};

fn code(result: Result<KernelId, Refusal>) -> &'static str {
    result.map_or_else(|refusal| refusal.code(), |id| id.as_str())
}

macro_rules! refused {
    ($code:literal: $($call:expr),+ $(,)?) => { $(assert_eq!(code($call), $code, stringify!($call));)+ };
}

#[test]
fn nothing_and_lengths_that_differ() {
    let Some(gpu) = gpu() else { return };
    let (x, mut out, mut two) = (gpu.up(&[1.0; 600]), gpu.fresh(600), gpu.fresh(600));
    let v = |n| -> CudaView<'_, f32> { x.slice(..n) };
    let d = &gpu.device;
    let at0 = Position::Value(0);
    let mut o = |n| code(cuda::swiglu(d, &v(4), &v(n), &mut out.slice_mut(..n)));
    assert_eq!((o(3), o(5)), ("KR-S01", "KR-S01"));
    refused!("KR-S02":
        cuda::swiglu(d, &v(0), &v(0), &mut out.slice_mut(..0)),
        cuda::residual_add(d, &v(0), &v(0), &mut out.slice_mut(..0)),
        cuda::elementwise_mul(d, &v(0), &v(0), &mut out.slice_mut(..0)),
        cuda::sigmoid_gate(d, &mut out.slice_mut(..0), &v(0)),
        cuda::rmsnorm(d, &v(0), &v(0), 1e-5, &mut out.slice_mut(..0)),
        cuda::rmsnorm::per_head(d, &v(0), &v(4), 1e-5, &mut out.slice_mut(..0)),
        cuda::rmsnorm::per_head(d, &v(8), &v(0), 1e-5, &mut out.slice_mut(..8)),
        cuda::l2norm::per_head(d, &mut out.slice_mut(..8), 0, 1e-5),
        cuda::rope(d, &mut out.slice_mut(..8), 0, at0, 1e4),
        cuda::rope::neox(d, &mut out.slice_mut(..0), 4, at0, 1e4),
        cuda::rope::partial_neox(d, &mut out.slice_mut(..8), 4, 0, at0, 1e4),
        cuda::embed(d, &v(0), at0, &mut out.slice_mut(..4)),
        cuda::embed(d, &v(8), at0, &mut out.slice_mut(..0)),
        cuda::split::interleaved(d, &v(0), 4, &mut out.slice_mut(..0), &mut two.slice_mut(..0)),
        cuda::kv_write(d, &v(0), &v(0), at0, 4, &mut out.slice_mut(..8), &mut two.slice_mut(..8)),
        cuda::kv_write(d, &v(4), &v(4), at0, 4, &mut out.slice_mut(..0), &mut two.slice_mut(..0)),
        cuda::attention::gdn_decode(d, &v(8), &v(0), &v(0), at0, 1, 4, &mut out.slice_mut(..8)),
        cuda::conv1d::silu(d, &v(0), &mut out.slice_mut(..0), &v(0), &mut two.slice_mut(..0)),
        cuda::gdn_gates(d, &v(0), &v(0), &v(0), &v(0), &mut out.slice_mut(..0), &mut two.slice_mut(..0)),
        cuda::delta_rule(d, &v(4), &v(4), &v(4), &v(2), &v(2), 0, &mut out.slice_mut(..8), &mut two.slice_mut(..4)),
        cuda::delta_rule(d, &v(4), &v(4), &v(0), &v(2), &v(2), 2, &mut out.slice_mut(..0), &mut two.slice_mut(..0)),
    );
    refused!("KR-S01":
        cuda::rmsnorm(d, &v(4), &v(3), 1e-5, &mut out.slice_mut(..4)),
        cuda::rmsnorm::gated(d, &v(8), &v(4), &v(4), 1e-5, &mut out.slice_mut(..8)),
        cuda::sigmoid_gate(d, &mut out.slice_mut(..8), &v(7)),
        cuda::split::interleaved(d, &v(15), 4, &mut out.slice_mut(..8), &mut two.slice_mut(..8)),
        cuda::split::interleaved(d, &v(16), 4, &mut out.slice_mut(..8), &mut two.slice_mut(..4)),
        cuda::kv_write(d, &v(4), &v(3), at0, 4, &mut out.slice_mut(..8), &mut two.slice_mut(..8)),
        cuda::kv_write(d, &v(4), &v(4), at0, 4, &mut out.slice_mut(..8), &mut two.slice_mut(..4)),
        cuda::attention::gdn_decode(d, &v(8), &v(8), &v(8), at0, 1, 4, &mut out.slice_mut(..4)),
        cuda::attention::gdn_decode(d, &v(8), &v(8), &v(4), at0, 1, 4, &mut out.slice_mut(..8)),
        cuda::conv1d::silu(d, &v(4), &mut out.slice_mut(..11), &v(16), &mut two.slice_mut(..4)),
        cuda::gdn_gates(d, &v(4), &v(4), &v(3), &v(4), &mut out.slice_mut(..4), &mut two.slice_mut(..4)),
        cuda::delta_rule(d, &v(4), &v(2), &v(4), &v(2), &v(2), 2, &mut out.slice_mut(..8), &mut two.slice_mut(..4)),
        cuda::delta_rule(d, &v(4), &v(4), &v(4), &v(2), &v(2), 2, &mut out.slice_mut(..9), &mut two.slice_mut(..4)),
    );
    let all = [gpu.down(&out), gpu.down(&two)].concat();
    assert!(all.iter().all(|x| *x == UNTOUCHED), "a refused call writes nothing");
}

#[test]
fn shapes_and_numbers() {
    let Some(gpu) = gpu() else { return };
    let (x, mut out, mut two) = (gpu.up(&[1.0; 600]), gpu.fresh(600), gpu.fresh(600));
    let v = |n| -> CudaView<'_, f32> { x.slice(..n) };
    let d = &gpu.device;
    let at0 = Position::Value(0);
    refused!("KR-S03":
        cuda::rmsnorm::per_head(d, &v(9), &v(4), 1e-5, &mut out.slice_mut(..9)),
        cuda::l2norm::per_head(d, &mut out.slice_mut(..9), 4, 1e-5),
        cuda::rope(d, &mut out.slice_mut(..9), 3, at0, 1e4),
        cuda::rope::partial_neox(d, &mut out.slice_mut(..8), 4, 3, at0, 1e4),
        cuda::embed(d, &v(9), at0, &mut out.slice_mut(..4)),
        cuda::kv_write(d, &v(4), &v(4), at0, 3, &mut out.slice_mut(..8), &mut two.slice_mut(..8)),
        cuda::kv_write(d, &v(4), &v(4), at0, 4, &mut out.slice_mut(..9), &mut two.slice_mut(..9)),
        cuda::attention::gdn_decode(d, &v(12), &v(8), &v(8), at0, 2, 4, &mut out.slice_mut(..12)),
        cuda::delta_rule(d, &v(4), &v(4), &v(6), &v(3), &v(3), 2, &mut out.slice_mut(..12), &mut two.slice_mut(..6)),
    );
    refused!("KR-S04":
        cuda::rope::partial_neox(d, &mut out.slice_mut(..8), 4, 6, at0, 1e4),
        cuda::attention::gdn_decode(d, &v(257), &v(257), &v(257), at0, 1, 257, &mut out.slice_mut(..257)),
        cuda::delta_rule(d, &v(257), &v(257), &v(2), &v(1), &v(1), 1, &mut out.slice_mut(..514), &mut two.slice_mut(..2)),
    );
    refused!("KR-S06":
        cuda::rmsnorm(d, &v(4), &v(4), -1e-5, &mut out.slice_mut(..4)),
        cuda::l2norm::per_head(d, &mut out.slice_mut(..8), 4, f32::NAN),
        cuda::rope(d, &mut out.slice_mut(..8), 4, at0, 0.0),
        cuda::rope::partial_neox(d, &mut out.slice_mut(..8), 4, 4, at0, f32::INFINITY),
        cuda::conv1d::silu(d, &v(4), &mut out.slice_mut(..0), &v(4), &mut two.slice_mut(..4)),
    );
    let shape = AttentionShape { heads: 2, kv_heads: 1, head_dim: 4, scale: 0.5, softcap: None };
    let mut attend =
        |shape| code(cuda::attention(d, &v(8), &v(8), &v(8), at0, shape, &mut out.slice_mut(..8)));
    assert_eq!(attend(AttentionShape { head_dim: 257, ..shape }), "KR-S04");
    assert_eq!(attend(AttentionShape { scale: f32::NAN, ..shape }), "KR-S06");
    assert_eq!(attend(AttentionShape { softcap: Some(f32::NAN), ..shape }), "KR-S06");
    assert_eq!(attend(AttentionShape { heads: 3, kv_heads: 2, ..shape }), "KR-S03");
    assert_eq!(attend(AttentionShape { kv_heads: 0, ..shape }), "KR-S02");
    let mut index = gpu.up(&[9u32, 9]);
    assert_eq!(code(cuda::argmax(d, &v(0), &mut index.slice_mut(..1))), "KR-S02");
    assert_eq!(code(cuda::argmax(d, &v(4), &mut index.slice_mut(..2))), "KR-S01");
    assert_eq!(code(cuda::argmax(d, &v(4), &mut index.slice_mut(..0))), "KR-S01");
    let none = gpu.up(&[0u32]);
    let nowhere = none.slice(..0);
    assert_eq!(code(cuda::embed(d, &v(8), Position::At(&nowhere), &mut out.slice_mut(..4))), "KR-S02");
    let all = [gpu.down(&out), gpu.down(&two)].concat();
    assert!(all.iter().all(|x| *x == UNTOUCHED), "a refused call writes nothing");
    assert_eq!((gpu.down(&index), d.fault()), (vec![9, 9], Ok(())));
}
