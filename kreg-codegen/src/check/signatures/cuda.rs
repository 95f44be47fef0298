//! CUDA: host wrappers over cudarc views. Each takes the device first, checks its own arguments and may refuse.

use super::Signature;

const fn cuda(op: &'static str, variant: &'static str, text: &'static str) -> Signature {
    Signature { backend: "cuda", op, variant, text }
}

pub(super) static SIGNATURES: &[Signature] = &[
    cuda(
        "gemv",
        "",
        "(device: &Device, w: &Matrix<F>, x: &CudaView<f32>, y: &mut CudaViewMut<f32>) -> \
         Result<Products, Refusal>",
    ),
    cuda(
        "argmax",
        "",
        "(device: &Device, x: &CudaView<f32>, index: &mut CudaViewMut<u32>) -> Result<(), Refusal>",
    ),
    cuda("argmax", "host", "(x: &[f32]) -> Result<u32, Refusal>"),
    cuda(
        "attention",
        "",
        "(device: &Device, q: &CudaView<f32>, k_cache: &CudaView<f32>, v_cache: &CudaView<f32>, pos: \
         Position, shape: AttentionShape, out: &mut CudaViewMut<f32>) -> Result<(), Refusal>",
    ),
    cuda(
        "attention",
        "gdn_decode",
        "(device: &Device, q: &CudaView<f32>, k_cache: &CudaView<f32>, v_cache: &CudaView<f32>, pos: \
         Position, kv_heads: usize, head_dim: usize, out: &mut CudaViewMut<f32>) -> Result<(), Refusal>",
    ),
    cuda(
        "conv1d",
        "silu",
        "(device: &Device, x: &CudaView<f32>, state: &mut CudaViewMut<f32>, weight: &CudaView<f32>, \
         out: &mut CudaViewMut<f32>) -> Result<(), Refusal>",
    ),
    cuda(
        "delta_rule",
        "",
        "(device: &Device, q: &CudaView<f32>, k: &CudaView<f32>, v: &CudaView<f32>, beta: \
         &CudaView<f32>, g: &CudaView<f32>, key_heads: usize, state: &mut CudaViewMut<f32>, out: &mut \
         CudaViewMut<f32>) -> Result<(), Refusal>",
    ),
    cuda(
        "elementwise_mul",
        "",
        "(device: &Device, a: &CudaView<f32>, b: &CudaView<f32>, out: &mut CudaViewMut<f32>) -> \
         Result<(), Refusal>",
    ),
    cuda(
        "embed",
        "",
        "(device: &Device, table: &CudaView<f32>, token: Position, out: &mut CudaViewMut<f32>) -> \
         Result<(), Refusal>",
    ),
    cuda(
        "gdn_gates",
        "",
        "(device: &Device, alpha: &CudaView<f32>, dt_bias: &CudaView<f32>, a: &CudaView<f32>, beta_raw: \
         &CudaView<f32>, g: &mut CudaViewMut<f32>, beta: &mut CudaViewMut<f32>) -> Result<(), Refusal>",
    ),
    cuda(
        "kv_write",
        "",
        "(device: &Device, k: &CudaView<f32>, v: &CudaView<f32>, pos: Position, head_dim: usize, \
         k_cache: &mut CudaViewMut<f32>, v_cache: &mut CudaViewMut<f32>) -> Result<(), Refusal>",
    ),
    cuda(
        "l2norm",
        "per_head",
        "(device: &Device, x: &mut CudaViewMut<f32>, head_dim: usize, eps: f32) -> Result<(), Refusal>",
    ),
    cuda(
        "repeat_penalty",
        "host",
        "(logits: &mut [f32], context: &[u32], last_n: usize, penalty: f32, ws: &mut Workspace) -> \
         Result<(), Refusal>",
    ),
    cuda(
        "residual_add",
        "",
        "(device: &Device, a: &CudaView<f32>, b: &CudaView<f32>, out: &mut CudaViewMut<f32>) -> \
         Result<(), Refusal>",
    ),
    cuda(
        "rmsnorm",
        "",
        "(device: &Device, x: &CudaView<f32>, w: &CudaView<f32>, eps: f32, y: &mut CudaViewMut<f32>) -> \
         Result<(), Refusal>",
    ),
    cuda(
        "rmsnorm",
        "gated",
        "(device: &Device, x: &CudaView<f32>, z: &CudaView<f32>, w: &CudaView<f32>, eps: f32, y: &mut \
         CudaViewMut<f32>) -> Result<(), Refusal>",
    ),
    cuda(
        "rmsnorm",
        "per_head",
        "(device: &Device, x: &CudaView<f32>, w: &CudaView<f32>, eps: f32, y: &mut CudaViewMut<f32>) -> \
         Result<(), Refusal>",
    ),
    cuda(
        "rope",
        "",
        "(device: &Device, x: &mut CudaViewMut<f32>, head_dim: usize, pos: Position, theta: f32) -> \
         Result<(), Refusal>",
    ),
    cuda(
        "rope",
        "neox",
        "(device: &Device, x: &mut CudaViewMut<f32>, head_dim: usize, pos: Position, theta: f32) -> \
         Result<(), Refusal>",
    ),
    cuda(
        "rope",
        "partial_neox",
        "(device: &Device, x: &mut CudaViewMut<f32>, head_dim: usize, n_rot: usize, pos: Position, \
         theta: f32) -> Result<(), Refusal>",
    ),
    cuda(
        "route_topk",
        "host",
        "(logits: &[f32], experts: &mut [u32], weights: &mut [f32]) -> Result<(), Refusal>",
    ),
    cuda(
        "sample",
        "host",
        "(logits: &mut [f32], context: &[u32], last_n: usize, penalty: f32, temperature: f32, top_k: \
         usize, top_p: f32, rng: &mut SampleRng, ws: &mut Workspace) -> Result<u32, Refusal>",
    ),
    cuda(
        "sample",
        "host_seeded",
        "(logits: &[f32], temperature: f32, top_k: usize, top_p: f32, rng: &mut SampleRng, ws: &mut \
         Workspace) -> Result<u32, Refusal>",
    ),
    cuda(
        "sample",
        "host_topk",
        "(logits: &[f32], temperature: f32, top_k: usize, ws: &mut Workspace) -> Result<u32, Refusal>",
    ),
    cuda(
        "sigmoid_gate",
        "",
        "(device: &Device, x: &mut CudaViewMut<f32>, gate: &CudaView<f32>) -> Result<(), Refusal>",
    ),
    cuda(
        "split",
        "interleaved",
        "(device: &Device, x: &CudaView<f32>, head_dim: usize, query: &mut CudaViewMut<f32>, gate: &mut \
         CudaViewMut<f32>) -> Result<(), Refusal>",
    ),
    cuda(
        "swiglu",
        "",
        "(device: &Device, gate: &CudaView<f32>, up: &CudaView<f32>, out: &mut CudaViewMut<f32>) -> \
         Result<(), Refusal>",
    ),
];
