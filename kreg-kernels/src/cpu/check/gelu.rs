//! Arguments of `gelu`.

use super::rules;
use crate::refusal::Refusal;

/// `x` not empty.
///
/// # Errors
/// [`Refusal::Empty`].
pub fn gelu(x: &[f32]) -> Result<(), Refusal> {
    rules::not_empty("x (activations)", x.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        assert_eq!(gelu(&[1.0]), Ok(()));
        assert_eq!(gelu(&[]).unwrap_err().code(), "KR-S02");
    }
}
