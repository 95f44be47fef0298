//! Arguments of `residual_add`.

use super::rules;
use crate::refusal::Refusal;

/// `h` and `d` of one length, not empty.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::Length`].
pub fn residual_add(h: &[f32], d: &[f32]) -> Result<(), Refusal> {
    rules::not_empty("h (residual stream)", h.len())?;
    rules::length("d (layer output)", h.len(), d.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        assert_eq!(residual_add(&[1.0], &[1.0]), Ok(()));
        assert_eq!(residual_add(&[], &[]).unwrap_err().code(), "KR-S02");
        assert_eq!(residual_add(&[1.0], &[]).unwrap_err().code(), "KR-S01");
        assert_eq!(residual_add(&[1.0], &[1.0; 2]).unwrap_err().code(), "KR-S01");
    }
}
