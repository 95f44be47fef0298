//! Arguments of `rope`.

use super::rules;
use crate::args::RopeStyle;
use crate::refusal::Refusal;

/// `head_dim` even and not zero, `x` one or more whole heads, `theta` finite and above zero.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::Multiple`], [`Refusal::Domain`].
pub fn rope(x: &[f32], head_dim: usize, _pos: usize, theta: f32, _style: RopeStyle) -> Result<(), Refusal> {
    rules::not_empty("x (heads)", x.len())?;
    rules::not_empty("head_dim", head_dim)?;
    rules::multiple("head_dim", 2, head_dim)?;
    rules::multiple("x (heads)", head_dim, x.len())?;
    rules::domain("theta", "finite and above 0", theta, theta > 0.0 && theta.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        let x = [1.0; 12];
        let check = |n, d, theta| rope(&x[..n], d, usize::MAX, theta, RopeStyle::Neox);
        let code = |n, d, theta| check(n, d, theta).unwrap_err().code();
        assert_eq!(check(12, 4, 1e4), Ok(()));
        assert_eq!(code(0, 4, 1e4), "KR-S02");
        assert_eq!(code(12, 0, 1e4), "KR-S02");
        assert_eq!(code(12, 3, 1e4), "KR-S03");
        assert_eq!(code(10, 4, 1e4), "KR-S03");
        assert_eq!(code(2, 4, 1e4), "KR-S03");
        for theta in [0.0, -1e4, f32::NAN, f32::INFINITY] {
            assert_eq!(code(12, 4, theta), "KR-S06");
        }
    }
}
