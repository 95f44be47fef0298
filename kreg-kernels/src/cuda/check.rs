//! What wrappers demand of lengths.

pub(super) use crate::cpu::check::rules::{domain, eps, multiple, not_empty};
use crate::refusal::Refusal;

/// Holds a length to what the shape implies.
///
/// # Errors
/// [`Refusal::Length`].
pub fn length(what: &'static str, expected: usize, got: usize) -> Result<(), Refusal> {
    if expected == got {
        return Ok(());
    }
    Err(Refusal::Length { what, expected: expected as u64, got: got as u64 })
}

/// A length as kernels count: not zero, and below 2^31, so that no 32-bit index overflows.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`].
pub fn index(what: &'static str, n: usize) -> Result<u32, Refusal> {
    const LIMIT: u64 = i32::MAX as u64;
    match u32::try_from(n) {
        Ok(0) => Err(Refusal::Empty { what }),
        Ok(n) if u64::from(n) <= LIMIT => Ok(n),
        _ => Err(Refusal::TooLarge { what, limit: LIMIT, got: n as u64 }),
    }
}

/// A count that is not zero and at most `limit`.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`].
pub(super) fn at_most(what: &'static str, limit: usize, n: usize) -> Result<u32, Refusal> {
    if n > limit {
        return Err(Refusal::TooLarge { what, limit: limit as u64, got: n as u64 });
    }
    index(what, n)
}

/// One or more whole heads: how many, and their width.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Multiple`].
pub(super) fn heads(what: &'static str, n: usize, head_dim: usize) -> Result<(u32, u32), Refusal> {
    let (n, d) = (index(what, n)?, index("head_dim", head_dim)?);
    multiple(what, head_dim, n as usize)?;
    Ok((n / d, d))
}

/// The base of rotary angles: finite and above zero.
///
/// # Errors
/// [`Refusal::Domain`].
pub(super) fn theta(theta: f32) -> Result<(), Refusal> {
    domain("theta", "finite and above 0", theta, theta > 0.0 && theta.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_in_32_bits_stays_below_31() {
        assert_eq!(index("n", 0), Err(Refusal::Empty { what: "n" }));
        assert_eq!(index("n", 0x7fff_ffff), Ok(0x7fff_ffff));
        for n in [0x8000_0000, 0xffff_ffff, 1 << 40] {
            assert_eq!(index("n", n).unwrap_err().code(), "KR-S04", "{n}");
        }
        assert_eq!(length("y", 2, 3).unwrap_err().to_string(), "KR-S01: y: expected 2, got 3");
    }

    #[test]
    fn heads_are_whole() {
        assert_eq!(heads("x", 12, 4), Ok((3, 4)));
        let code = |n, d| heads("x", n, d).unwrap_err().code();
        assert_eq!(
            (code(0, 4), code(4, 0), code(10, 4), code(2, 4)),
            ("KR-S02", "KR-S02", "KR-S03", "KR-S03")
        );
        assert_eq!(at_most("d", 256, 256), Ok(256));
        assert_eq!(at_most("d", 256, 257).unwrap_err().code(), "KR-S04");
        assert_eq!(at_most("d", 256, 0).unwrap_err().code(), "KR-S02");
    }
}
