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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_generator() {
        // Seed 42 gives 0.13 0.53 0.25 0.54 0.87 0.64; four equal logits turn a number into its quarter.
        let (mut rng, mut ws) = (SampleRng::new(42), Workspace::new());
        let tokens = [(); 6].map(|()| seeded(&[1.0; 4], 1.0, 0, 1.0, &mut rng, &mut ws));
        assert_eq!(tokens, [0, 2, 0, 2, 3, 2]);
    }

    #[test]
    fn honours_top_p_and_top_k() {
        let (mut rng, mut ws) = (SampleRng::new(1), Workspace::new());
        for _ in 0..50 {
            assert_eq!(seeded(&[1.0, 4.0, 2.0, 3.0], 1.0, 0, 0.5, &mut rng, &mut ws), 1);
            assert!([1, 3].contains(&seeded(&[1.0, 4.0, 2.0, 3.0], 1.0, 2, 1.0, &mut rng, &mut ws)));
        }
    }

    #[test]
    fn greedy_uses_no_randomness() {
        let (mut rng, mut ws) = (SampleRng::new(9), Workspace::new());
        assert_eq!(seeded(&[1.0, 4.0, 2.0], 1.0, 1, 0.9, &mut rng, &mut ws), 1);
        assert_eq!(rng, SampleRng::new(9));
        seeded(&[1.0, 4.0, 2.0], 1.0, 2, 0.9, &mut rng, &mut ws);
        assert_ne!(rng, SampleRng::new(9));
    }
}
