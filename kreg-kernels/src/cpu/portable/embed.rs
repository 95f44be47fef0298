//! Embedding lookup.

/// Copies row `token` of `table` (`[vocab, n]`) to `out` (`[n]`).
///
/// # Panics
/// When `out` is empty or the token lies outside the table.
pub fn embed(table: &[f32], token: u32, out: &mut [f32]) {
    let row = table.chunks_exact(out.len()).nth(token as usize).expect("the token must lie in the table");
    out.copy_from_slice(row);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_bits() {
        let table = [1.0, -0.0, f32::from_bits(0x7fc1_2345), 1e-45, 5.0, f32::INFINITY];
        for token in 0..3 {
            let mut out = [0.0; 2];
            embed(&table, token, &mut out);
            let row = &table[2 * token as usize..][..2];
            assert_eq!(out.map(f32::to_bits), [row[0].to_bits(), row[1].to_bits()]);
        }
        let mut out = [0.0];
        embed(&[3.0], 0, &mut out);
        assert_eq!(out, [3.0]);
    }
}
