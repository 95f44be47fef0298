//! Arguments of `attention`.

use super::rules;
use crate::args::AttentionShape;
use crate::refusal::Refusal;

/// A shape without zeros whose heads are a multiple of its key heads; `q` and `out` `[m, heads * head_dim]` with m of at
/// least 1, `k` and `v` `[m, kv_heads * head_dim]`, both caches the same whole number of such rows (none is a whole
/// number); a finite scale; a cap that is not NaN (one that is not finite and above zero is no cap).
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::Multiple`], [`Refusal::Length`], [`Refusal::Domain`]; [`Refusal::TooLarge`] when the
/// lengths that the shape implies do not fit the address space.
pub fn attention(
    q: &[f32],
    k_cache: &[f32],
    v_cache: &[f32],
    k: &[f32],
    v: &[f32],
    shape: AttentionShape,
    out: &[f32],
) -> Result<(), Refusal> {
    let AttentionShape { heads, kv_heads, head_dim, scale, softcap } = shape;
    rules::not_empty("heads", heads)?;
    rules::not_empty("kv_heads", kv_heads)?;
    rules::not_empty("head_dim", head_dim)?;
    rules::multiple("heads", kv_heads, heads)?;
    let q_len = product("heads * head_dim", heads, head_dim)?;
    // The nearest number of positions, so that a refusal names a length that would do.
    let m = (q.len() / q_len).max(1);
    rules::length("q (query)", m * q_len, q.len())?;
    rules::length("out", q.len(), out.len())?;
    // kv_heads divides heads, so these products fit too.
    let kv_dim = kv_heads * head_dim;
    rules::length("k (current key)", m * kv_dim, k.len())?;
    rules::length("v (current value)", m * kv_dim, v.len())?;
    rules::multiple("k_cache", kv_dim, k_cache.len())?;
    rules::length("v_cache", k_cache.len(), v_cache.len())?;
    product("attention scores (heads * positions)", heads, k_cache.len() / kv_dim + m)?;
    rules::domain("scale", "finite", scale, scale.is_finite())?;
    let cap = softcap.unwrap_or(0.0);
    rules::domain("softcap", "a number (no cap unless finite and above 0)", cap, !cap.is_nan())
}

/// The number of f32 in an `a` by `b` array, if memory can hold them.
fn product(what: &'static str, a: usize, b: usize) -> Result<usize, Refusal> {
    const LIMIT: usize = isize::MAX as usize / size_of::<f32>();
    let n = a.checked_mul(b);
    n.filter(|&n| n <= LIMIT).ok_or(Refusal::TooLarge {
        what,
        limit: LIMIT as u64,
        got: n.map_or(u64::MAX, |n| n as u64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: AttentionShape =
        AttentionShape { heads: 4, kv_heads: 2, head_dim: 3, scale: 1.0, softcap: None };

    fn check(lens: [usize; 6], shape: AttentionShape) -> Result<(), Refusal> {
        let x = [1.0; 32];
        let [q, kc, vc, k, v, out] = lens.map(|n| &x[..n]);
        attention(q, kc, vc, k, v, shape, out)
    }

    const RIGHT: [usize; 6] = [12, 18, 18, 6, 6, 12];

    #[test]
    fn accepted() {
        assert_eq!(check(RIGHT, SHAPE), Ok(()));
        assert_eq!(check([12, 0, 0, 6, 6, 12], SHAPE), Ok(()));
        assert_eq!(check([24, 6, 6, 12, 12, 24], SHAPE), Ok(()));
        for softcap in [Some(50.0), Some(0.0), Some(-1.0), Some(f32::INFINITY)] {
            assert_eq!(check(RIGHT, AttentionShape { softcap, ..SHAPE }), Ok(()));
        }
    }

    #[test]
    fn lengths() {
        for (i, name) in ["q (query)", "k_cache", "v_cache", "k (current key)", "v (current value)", "out"]
            .into_iter()
            .enumerate()
        {
            for wrong in [RIGHT[i] - 1, RIGHT[i] + 1] {
                let mut lens = RIGHT;
                lens[i] = wrong;
                match check(lens, SHAPE) {
                    Err(Refusal::Length { what, .. } | Refusal::Multiple { what, .. }) => {
                        assert_eq!(what, name)
                    }
                    other => panic!("{name} {wrong}: {other:?}"),
                }
            }
        }
        assert_eq!(check([12, 18, 12, 6, 6, 12], SHAPE).unwrap_err().code(), "KR-S01");
        // Queries, keys, values and outputs of one position and of two.
        for lens in [
            [24, 18, 18, 6, 6, 12],
            [24, 18, 18, 6, 6, 24],
            [24, 18, 18, 12, 6, 24],
            [12, 18, 18, 12, 12, 12],
        ] {
            assert_eq!(check(lens, SHAPE).unwrap_err().code(), "KR-S01");
        }
    }

    #[test]
    fn shapes_and_numbers() {
        let code = |shape| check(RIGHT, shape).unwrap_err().code();
        assert_eq!(code(AttentionShape { heads: 0, ..SHAPE }), "KR-S02");
        assert_eq!(code(AttentionShape { kv_heads: 0, ..SHAPE }), "KR-S02");
        assert_eq!(code(AttentionShape { head_dim: 0, ..SHAPE }), "KR-S02");
        assert_eq!(code(AttentionShape { kv_heads: 3, ..SHAPE }), "KR-S03");
        assert_eq!(code(AttentionShape { kv_heads: 8, ..SHAPE }), "KR-S03");
        assert_eq!(code(AttentionShape { head_dim: usize::MAX, ..SHAPE }), "KR-S04");
        assert_eq!(code(AttentionShape { scale: f32::NAN, ..SHAPE }), "KR-S06");
        assert_eq!(code(AttentionShape { scale: f32::INFINITY, ..SHAPE }), "KR-S06");
        assert_eq!(code(AttentionShape { softcap: Some(f32::NAN), ..SHAPE }), "KR-S06");
    }
}
