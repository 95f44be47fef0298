//! A draw from the most likely tokens, with the caller's random number.

use super::draw::draw;
use crate::workspace::Workspace;

/// The token that `r`, uniform in `[0, 1)`, selects among the `top_k` largest of `logits / temperature`; 0 = all.
///
/// Ties, NaN and infinities are ordered as seeded sampling orders them. Returns 0 for empty logits.
pub fn topk(logits: &[f32], temperature: f32, top_k: usize, r: f32, ws: &mut Workspace) -> u32 {
    draw(logits, temperature, top_k, 1.0, r, ws)
}
