//! A draw from the most likely tokens, with the caller's random number.

use super::draw::draw;
use crate::workspace::Workspace;

/// The token that `r`, uniform in `[0, 1)`, selects among the `top_k` largest of `logits / temperature`; 0 = all.
///
/// Ties, NaN and infinities are ordered as seeded sampling orders them. Returns 0 for empty logits.
pub fn topk(logits: &[f32], temperature: f32, top_k: usize, r: f32, ws: &mut Workspace) -> u32 {
    draw(logits, temperature, top_k, 1.0, r, ws)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_draw_without_top_p() {
        let mut ws = Workspace::new();
        let logits = [1.0, 4.0, 2.0, 3.0];
        assert_eq!(topk(&logits, 1.0, 2, 0.9999999, &mut ws), 3);
        assert_eq!(topk(&logits, 1.0, 0, 0.9999999, &mut ws), 0);
        assert_eq!(topk(&logits, 1.0, 1, 0.9999999, &mut ws), 1);
        // Twice as cold: 4 alone has 0.865 of the probability, not 0.644.
        assert_eq!(topk(&logits, 0.5, 0, 0.8, &mut ws), 1);
    }
}
