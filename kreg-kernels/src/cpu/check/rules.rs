//! The conditions that several ops share.

use crate::refusal::Refusal;

/// `got` elements where the shape implies `expected`.
pub(crate) fn length(what: &'static str, expected: usize, got: usize) -> Result<(), Refusal> {
    if expected == got {
        return Ok(());
    }
    Err(Refusal::Length { what, expected: expected as u64, got: got as u64 })
}

/// Something rather than nothing.
pub(crate) fn not_empty(what: &'static str, n: usize) -> Result<(), Refusal> {
    if n > 0 { Ok(()) } else { Err(Refusal::Empty { what }) }
}

/// `got` is a whole number of `of`.
pub(crate) fn multiple(what: &'static str, of: usize, got: usize) -> Result<(), Refusal> {
    if got.is_multiple_of(of) {
        return Ok(());
    }
    Err(Refusal::Multiple { what, of: of as u64, got: got as u64 })
}

/// `got < limit`.
pub(crate) fn below(what: &'static str, limit: usize, got: u64) -> Result<(), Refusal> {
    if got < limit as u64 { Ok(()) } else { Err(Refusal::OutOfRange { what, limit: limit as u64, got }) }
}

/// `ok`, a condition on the number `got` that `need` puts in words.
pub(crate) fn domain(what: &'static str, need: &'static str, got: f32, ok: bool) -> Result<(), Refusal> {
    if ok { Ok(()) } else { Err(Refusal::Domain { what, need, got: f64::from(got) }) }
}

/// The epsilon of a norm: finite, and not below zero.
pub(crate) fn eps(eps: f32) -> Result<(), Refusal> {
    domain("eps", "finite and at least 0", eps, eps >= 0.0 && eps.is_finite())
}

/// Logits whose indices fit a token id.
pub(crate) fn logits(what: &'static str, n: usize) -> Result<(), Refusal> {
    const LIMIT: u64 = u32::MAX as u64;
    not_empty(what, n)?;
    if n as u64 > LIMIT {
        return Err(Refusal::TooLarge { what, limit: LIMIT, got: n as u64 });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_logits_than_token_ids() {
        // No test machine holds such a slice; the rule sees its length alone.
        assert_eq!(logits("logits", (1 << 32) - 1), Ok(()));
        assert_eq!(logits("logits", 1 << 32).unwrap_err().code(), "KR-S04");
    }
}
