//! Arguments of `swiglu`.

use super::rules;
use crate::refusal::Refusal;

/// `gate` and `up` of one length, not empty.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::Length`].
pub fn swiglu(gate: &[f32], up: &[f32]) -> Result<(), Refusal> {
    rules::not_empty("gate", gate.len())?;
    rules::length("up", gate.len(), up.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        assert_eq!(swiglu(&[1.0], &[1.0]), Ok(()));
        assert_eq!(swiglu(&[], &[]).unwrap_err().code(), "KR-S02");
        assert_eq!(swiglu(&[1.0], &[]).unwrap_err().code(), "KR-S01");
        assert_eq!(swiglu(&[1.0], &[1.0; 2]).unwrap_err().code(), "KR-S01");
    }
}
