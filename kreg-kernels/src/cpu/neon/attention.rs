//! Attention on NEON.

use crate::args::AttentionShape;
use crate::cpu::simd::{Neon, Plain, attention};
use crate::workspace::Workspace;

/// The portable level's function, with vectors of eight and fused multiplications.
///
/// # Panics
/// When a length does not fit the shape.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "neon")]
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
    attention::attention(Neon::<Plain>::new(), q, [k_cache, v_cache], [k, v], shape, out, ws);
}
