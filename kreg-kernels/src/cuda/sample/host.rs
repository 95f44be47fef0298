//! From logits that were copied to the host to a token, in one call: penalty, greedy choice or draw.

use crate::args::SampleRng;
use crate::cpu::{check, portable};
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// The next token, after `logits` have been penalised in place as
/// [`repeat_penalty`](fn@portable::repeat_penalty::repeat_penalty) does.
///
/// `temperature = 0` or `top_k = 1` is the greedy choice: the **highest** index among the largest logits, where `argmax`
/// has the lowest, and no randomness is used. NaN is never chosen, and 0 is the answer when nothing exceeds minus infinity.
/// Otherwise [`seeded`](fn@portable::sample::seeded::seeded) draws.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Domain`]; nothing has been written then.
pub fn host(
    logits: &mut [f32],
    context: &[u32],
    last_n: usize,
    penalty: f32,
    temperature: f32,
    top_k: usize,
    top_p: f32,
    rng: &mut SampleRng,
    ws: &mut Workspace,
) -> Result<u32, Refusal> {
    let greedy = temperature == 0.0 || top_k == 1;
    check::repeat_penalty(logits, context, last_n, penalty)?;
    let divisor = if temperature == 0.0 { 1.0 } else { temperature };
    check::sample::seeded(logits, divisor, top_k, top_p, rng)?;
    portable::repeat_penalty::repeat_penalty(logits, context, last_n, penalty, ws);
    if greedy {
        return Ok(last_of_the_largest(logits));
    }
    Ok(portable::sample::seeded::seeded(logits, temperature, top_k, top_p, rng, ws))
}

fn last_of_the_largest(logits: &[f32]) -> u32 {
    let (mut max, mut index) = (f32::NEG_INFINITY, 0);
    for (i, &x) in (0..).zip(logits) {
        if x >= max && x > f32::NEG_INFINITY {
            (max, index) = (x, i);
        }
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(logits: &[f32], context: &[u32], penalty: f32, temperature: f32, top_k: usize) -> u32 {
        let (mut logits, mut rng) = (logits.to_vec(), SampleRng::new(3));
        host(&mut logits, context, 64, penalty, temperature, top_k, 1.0, &mut rng, &mut Workspace::new())
            .unwrap()
    }

    #[test]
    fn greedy_takes_the_last_of_the_largest() {
        for (temperature, top_k) in [(0.0, 0), (0.0, 40), (0.7, 1)] {
            assert_eq!(token(&[2.0, 1.0, 2.0], &[], 1.0, temperature, top_k), 2);
            assert_eq!(token(&[f32::NAN, 0.5, f32::NAN], &[], 1.0, temperature, top_k), 1);
            assert_eq!(token(&[f32::NEG_INFINITY, f32::NAN], &[], 1.0, temperature, top_k), 0);
        }
    }

    #[test]
    fn the_penalty_comes_first() {
        assert_eq!(token(&[2.0, 1.5, 0.0], &[0, 0], 2.0, 0.0, 0), 1);
        assert_eq!(token(&[9.0, 0.0], &[], 1.0, 0.01, 0), 0);
    }

    #[test]
    fn refusals_change_nothing() {
        let (mut rng, mut ws) = (SampleRng::new(3), Workspace::new());
        let mut code = |logits: &mut [f32], penalty, temperature, top_p| {
            host(logits, &[0], 64, penalty, temperature, 40, top_p, &mut rng, &mut ws).unwrap_err().code()
        };
        let mut logits = [1.0, 2.0];
        assert_eq!(code(&mut [], 1.1, 1.0, 1.0), "KR-S02");
        assert_eq!(code(&mut logits, 0.0, 1.0, 1.0), "KR-S06");
        assert_eq!(code(&mut logits, 1.1, -1.0, 1.0), "KR-S06");
        assert_eq!(code(&mut logits, 1.1, f32::NAN, 1.0), "KR-S06");
        assert_eq!(code(&mut logits, 1.1, 1.0, f32::NAN), "KR-S06");
        assert_eq!((logits, rng), ([1.0, 2.0], SampleRng::new(3)));
    }
}
