//! A reproducible draw: the random number comes from a seeded generator.

use super::draw::draw;
use crate::args::SampleRng;
use crate::workspace::Workspace;

/// The next token: a draw from `logits / temperature`, cut to the `top_k` largest (0 = all) and then to the smallest
/// set that holds `top_p` of the probability (outside `(0, 1)` = all).
///
/// Advances `rng` once, except for `top_k = 1`, which is the greedy choice and uses no randomness. Returns 0 for empty
/// logits.
pub fn seeded(
    logits: &[f32],
    temperature: f32,
    top_k: usize,
    top_p: f32,
    rng: &mut SampleRng,
    ws: &mut Workspace,
) -> u32 {
    let r = if top_k == 1 { 0.0 } else { rng.next_f32() };
    draw(logits, temperature, top_k, top_p, r, ws)
}
