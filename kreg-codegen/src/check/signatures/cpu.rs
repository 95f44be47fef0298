//! The cpu: slices, and a workspace for scratch.

use super::Signature;

const fn cpu(op: &'static str, variant: &'static str, text: &'static str) -> Signature {
    Signature { backend: "cpu", op, variant, text }
}

pub(super) static SIGNATURES: &[Signature] = &[
    cpu("matvec", "", "(w: Matrix<F>, x: &[f32], y: &mut [f32], ws: &mut Workspace)"),
    cpu("rmsnorm", "", "(x: &[f32], w: &[f32], eps: f32, y: &mut [f32])"),
    cpu("layernorm", "", "(x: &[f32], w: &[f32], b: Option<&[f32]>, eps: f32, y: &mut [f32])"),
    cpu("rope", "", "(x: &mut [f32], head_dim: usize, pos: usize, theta: f32, style: RopeStyle)"),
    cpu(
        "attention",
        "",
        "(q: &[f32], k_cache: &[f32], v_cache: &[f32], k: &[f32], v: &[f32], shape: AttentionShape, \
         out: &mut [f32], ws: &mut Workspace)",
    ),
    cpu("swiglu", "", "(gate: &mut [f32], up: &[f32])"),
    cpu("gelu", "", "(x: &mut [f32])"),
    cpu("embed", "", "(table: &[f32], token: u32, out: &mut [f32])"),
    cpu("kv_write", "", "(k: &[f32], v: &[f32], pos: usize, k_cache: &mut [f32], v_cache: &mut [f32])"),
    cpu("residual_add", "", "(h: &mut [f32], d: &[f32])"),
    cpu("argmax", "", "(x: &[f32]) -> u32"),
    cpu(
        "sample",
        "topk",
        "(logits: &[f32], temperature: f32, top_k: usize, r: f32, ws: &mut Workspace) -> u32",
    ),
    cpu(
        "sample",
        "seeded",
        "(logits: &[f32], temperature: f32, top_k: usize, top_p: f32, rng: &mut SampleRng, ws: &mut Workspace) \
         -> u32",
    ),
    cpu(
        "repeat_penalty",
        "",
        "(logits: &mut [f32], context: &[u32], last_n: usize, penalty: f32, ws: &mut Workspace)",
    ),
];
