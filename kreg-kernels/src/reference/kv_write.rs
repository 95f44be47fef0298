//! Storing a position's keys or values.

/// `cache` (`[max_len, row.len()]`) with `row` at position `pos`; `None` when there is no such position.
pub fn kv_write(cache: &[f32], row: &[f32], pos: usize) -> Option<Vec<f32>> {
    let mut out = cache.to_vec();
    out.chunks_exact_mut(row.len()).nth(pos)?.copy_from_slice(row);
    Some(out)
}
