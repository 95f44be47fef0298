//! Arguments of the `sample` variants.

use super::rules;
use crate::args::SampleRng;
use crate::refusal::Refusal;

/// `logits` not empty, and its indices u32; `temperature` finite and above zero; `r` in `[0, 1)`. Any `top_k` will do.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Domain`].
pub fn topk(logits: &[f32], temperature: f32, _top_k: usize, r: f32) -> Result<(), Refusal> {
    rules::logits("logits", logits.len())?;
    self::temperature(temperature)?;
    rules::domain("r (random number)", "in [0, 1)", r, (0.0..1.0).contains(&r))
}

/// `logits` not empty, and its indices u32; `temperature` finite and above zero; `top_p` not NaN. Any `top_k` will do.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Domain`].
pub fn seeded(
    logits: &[f32],
    temperature: f32,
    _top_k: usize,
    top_p: f32,
    _rng: &SampleRng,
) -> Result<(), Refusal> {
    rules::logits("logits", logits.len())?;
    self::temperature(temperature)?;
    rules::domain("top_p", "a number (outside (0, 1) = off)", top_p, !top_p.is_nan())
}

/// A temperature that can be divided by.
fn temperature(t: f32) -> Result<(), Refusal> {
    let need = "finite and above 0 (0 means greedy: call argmax instead)";
    rules::domain("temperature", need, t, t > 0.0 && t.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topk_refusals() {
        let code = |x: &[f32], t, r| topk(x, t, 40, r).unwrap_err().code();
        assert_eq!(topk(&[f32::NAN], 1e-3, 0, 0.0), Ok(()));
        assert_eq!(topk(&[1.0], 1.0, usize::MAX, 0.99999994), Ok(()));
        assert_eq!(code(&[], 1.0, 0.5), "KR-S02");
        for t in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(code(&[1.0], t, 0.5), "KR-S06");
        }
        for r in [-1e-9, 1.0, f32::NAN] {
            assert_eq!(code(&[1.0], 1.0, r), "KR-S06");
        }
    }

    #[test]
    fn zero_temperature_says_what_to_do() {
        assert_eq!(
            topk(&[1.0], 0.0, 0, 0.0).unwrap_err().to_string(),
            "KR-S06: temperature must be finite and above 0 (0 means greedy: call argmax instead), got 0"
        );
    }

    #[test]
    fn seeded_refusals() {
        let rng = SampleRng::new(0);
        let code = |x: &[f32], t, p| seeded(x, t, 40, p, &rng).unwrap_err().code();
        for p in [0.9, 0.0, 1.0, -1.0, 2.0, f32::INFINITY] {
            assert_eq!(seeded(&[1.0], 1.0, 0, p, &rng), Ok(()));
        }
        assert_eq!(code(&[], 1.0, 0.5), "KR-S02");
        assert_eq!(code(&[1.0], 1.0, f32::NAN), "KR-S06");
        for t in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(code(&[1.0], t, 0.5), "KR-S06");
        }
    }
}
