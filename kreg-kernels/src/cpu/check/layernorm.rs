//! Arguments of `layernorm`.

use super::rules;
use crate::refusal::Refusal;

/// `x`, `w`, `y` and, if there is one, `b` of one length, not empty; `eps` finite and not negative.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::Length`], [`Refusal::Domain`].
pub fn layernorm(x: &[f32], w: &[f32], b: Option<&[f32]>, eps: f32, y: &[f32]) -> Result<(), Refusal> {
    rules::not_empty("x (activations)", x.len())?;
    rules::length("w (weights)", x.len(), w.len())?;
    rules::length("b (bias)", x.len(), b.map_or(x.len(), <[f32]>::len))?;
    rules::length("y (outputs)", x.len(), y.len())?;
    rules::eps(eps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        let x = [1.0; 4];
        let code =
            |n, w, b, eps, y| layernorm(&x[..n], &x[..w], Some(&x[..b]), eps, &x[..y]).unwrap_err().code();
        assert_eq!(layernorm(&x, &x, None, 0.0, &x), Ok(()));
        assert_eq!(layernorm(&x, &x, Some(&x), 1e-5, &x), Ok(()));
        assert_eq!(code(0, 0, 0, 1e-5, 0), "KR-S02");
        assert_eq!(code(4, 3, 4, 1e-5, 4), "KR-S01");
        assert_eq!(code(4, 4, 3, 1e-5, 4), "KR-S01");
        assert_eq!(code(4, 4, 0, 1e-5, 4), "KR-S01");
        assert_eq!(code(3, 3, 3, 1e-5, 4), "KR-S01");
        for eps in [-1e-9, f32::NAN, f32::INFINITY] {
            assert_eq!(code(4, 4, 4, eps, 4), "KR-S06");
        }
    }
}
