//! Arguments of `rmsnorm`.

use super::rules;
use crate::refusal::Refusal;

/// `x`, `w` and `y` of one length, not empty; `eps` finite and not negative.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::Length`], [`Refusal::Domain`].
pub fn rmsnorm(x: &[f32], w: &[f32], eps: f32, y: &[f32]) -> Result<(), Refusal> {
    rules::not_empty("x (activations)", x.len())?;
    rules::length("w (weights)", x.len(), w.len())?;
    rules::length("y (outputs)", x.len(), y.len())?;
    rules::eps(eps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        let x = [1.0; 4];
        let code = |n, w, eps, y| rmsnorm(&x[..n], &x[..w], eps, &x[..y]).unwrap_err().code();
        assert_eq!(rmsnorm(&x, &x, 0.0, &x), Ok(()));
        assert_eq!(code(0, 0, 1e-5, 0), "KR-S02");
        assert_eq!(code(3, 4, 1e-5, 3), "KR-S01");
        assert_eq!(code(4, 3, 1e-5, 4), "KR-S01");
        assert_eq!(code(4, 4, 1e-5, 3), "KR-S01");
        for eps in [-1e-9, f32::NAN, f32::INFINITY] {
            assert_eq!(code(4, 4, eps, 4), "KR-S06");
        }
    }
}
