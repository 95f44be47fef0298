//! Arguments of `kv_write`.

use super::rules;
use crate::refusal::Refusal;

/// `k` and `v` of one length, not empty; both caches the same whole number of such rows, and `pos` one of them.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::Length`], [`Refusal::Multiple`], [`Refusal::OutOfRange`].
pub fn kv_write(k: &[f32], v: &[f32], pos: usize, k_cache: &[f32], v_cache: &[f32]) -> Result<(), Refusal> {
    rules::not_empty("k (current key)", k.len())?;
    rules::length("v (current value)", k.len(), v.len())?;
    rules::multiple("k_cache", k.len(), k_cache.len())?;
    rules::length("v_cache", k_cache.len(), v_cache.len())?;
    rules::below("position", k_cache.len() / k.len(), pos as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        let x = [1.0; 8];
        let check = |k, v, pos, kc, vc| kv_write(&x[..k], &x[..v], pos, &x[..kc], &x[..vc]);
        let code = |k, v, pos, kc, vc| check(k, v, pos, kc, vc).unwrap_err().code();
        assert_eq!(check(2, 2, 2, 6, 6), Ok(()));
        assert_eq!(code(0, 0, 0, 6, 6), "KR-S02");
        assert_eq!(code(2, 1, 0, 6, 6), "KR-S01");
        assert_eq!(code(2, 3, 0, 6, 6), "KR-S01");
        assert_eq!(code(2, 2, 0, 5, 5), "KR-S03");
        assert_eq!(code(2, 2, 0, 6, 8), "KR-S01");
        assert_eq!(code(2, 2, 0, 0, 0), "KR-S05");
        for pos in [3, usize::MAX] {
            assert_eq!(code(2, 2, pos, 6, 6), "KR-S05");
        }
    }
}
