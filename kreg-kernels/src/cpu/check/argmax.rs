//! Arguments of `argmax`.

use super::rules;
use crate::refusal::Refusal;

/// `x` not empty, and its indices u32.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`].
pub fn argmax(x: &[f32]) -> Result<(), Refusal> {
    rules::logits("x (logits)", x.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        assert_eq!(argmax(&[f32::NAN]), Ok(()));
        assert_eq!(argmax(&[]).unwrap_err().code(), "KR-S02");
    }
}
