//! Writing one position of a key/value cache.

/// Stores `k` and `v` (`[kv_dim]`) as row `pos` of `k_cache` and `v_cache` (`[max_len, kv_dim]`).
///
/// # Panics
/// When `k` is empty, `v` has another length, or a cache has no row `pos`; then nothing has been written.
pub fn kv_write(k: &[f32], v: &[f32], pos: usize, k_cache: &mut [f32], v_cache: &mut [f32]) {
    assert_eq!(k.len(), v.len(), "k and v must have one length");
    let row = "the position must lie in the cache";
    let k_row = k_cache.chunks_exact_mut(k.len()).nth(pos).expect(row);
    let v_row = v_cache.chunks_exact_mut(v.len()).nth(pos).expect(row);
    k_row.copy_from_slice(k);
    v_row.copy_from_slice(v);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_one_row_and_no_other() {
        for pos in 0..3 {
            let (mut k_cache, mut v_cache) = ([9.0; 6], [8.0; 6]);
            kv_write(&[1.0, -0.0], &[3.0, 1e-45], pos, &mut k_cache, &mut v_cache);
            for row in 0..3 {
                let (k, v) = if row == pos { ([1.0, -0.0], [3.0, 1e-45]) } else { ([9.0; 2], [8.0; 2]) };
                let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&k_cache[2 * row..][..2]), bits(&k));
                assert_eq!(bits(&v_cache[2 * row..][..2]), bits(&v));
            }
        }
    }
}
