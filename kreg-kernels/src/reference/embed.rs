//! Looking up a token's row.

/// Row `token` of `table`, whose rows have `n` values; `None` when the table has no such row.
pub fn embed(table: &[f32], token: u32, n: usize) -> Option<Vec<f32>> {
    table.chunks_exact(n).nth(token as usize).map(<[f32]>::to_vec)
}
