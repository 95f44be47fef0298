//! Arguments of `embed`.

use super::rules;
use crate::refusal::Refusal;

/// `table` one or more whole rows of `out.len()`, and `token` one of them.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::Multiple`], [`Refusal::OutOfRange`].
pub fn embed(table: &[f32], token: u32, out: &[f32]) -> Result<(), Refusal> {
    rules::not_empty("out", out.len())?;
    rules::not_empty("embedding table", table.len())?;
    rules::multiple("embedding table", out.len(), table.len())?;
    rules::below("token id", table.len() / out.len(), token.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        let x = [1.0; 6];
        let code = |table, token, out| embed(&x[..table], token, &x[..out]).unwrap_err().code();
        assert_eq!(embed(&x, 2, &x[..2]), Ok(()));
        assert_eq!(code(6, 0, 0), "KR-S02");
        assert_eq!(code(0, 0, 2), "KR-S02");
        assert_eq!(code(5, 0, 2), "KR-S03");
        assert_eq!(code(1, 0, 2), "KR-S03");
        for token in [3, u32::MAX] {
            assert_eq!(code(6, token, 2), "KR-S05");
        }
    }
}
