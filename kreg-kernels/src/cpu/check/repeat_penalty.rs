//! Arguments of `repeat_penalty`.

use super::rules;
use crate::refusal::Refusal;

/// `logits` not empty; `penalty` finite and above zero. Any context and window will do.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::Domain`].
pub fn repeat_penalty(logits: &[f32], _context: &[u32], _last_n: usize, penalty: f32) -> Result<(), Refusal> {
    rules::not_empty("logits", logits.len())?;
    rules::domain("penalty", "finite and above 0", penalty, penalty > 0.0 && penalty.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        assert_eq!(repeat_penalty(&[1.0], &[], 0, 1.1), Ok(()));
        assert_eq!(repeat_penalty(&[1.0], &[u32::MAX], usize::MAX, 0.5), Ok(()));
        assert_eq!(repeat_penalty(&[], &[], 0, 1.1).unwrap_err().code(), "KR-S02");
        for penalty in [0.0, -0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(repeat_penalty(&[1.0], &[0], 1, penalty).unwrap_err().code(), "KR-S06");
        }
    }
}
