//! Attention on AVX2.

use crate::args::AttentionShape;
use crate::cpu::simd::{Avx2, attention};
use crate::workspace::Workspace;

/// The portable level's function, with vectors of eight and fused multiplications.
///
/// # Panics
/// When a length does not fit the shape.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx2,fma,f16c")]
pub fn attention(
    q: &[f32],
    k_cache: &[f32],
    v_cache: &[f32],
    k: &[f32],
    v: &[f32],
    shape: AttentionShape,
    out: &mut [f32],
    ws: &mut Workspace,
) {
    attention::attention(Avx2::new(), q, [k_cache, v_cache], [k, v], shape, out, ws);
}
