//! The residual connection.

/// `h_i + d_i`, rounded once to f32. (The float64 sum of two f32 rounds to f32 as the exact sum does: 53 bits are more
/// than twice 24 plus one.)
pub fn residual_add(h: &[f32], d: &[f32]) -> Vec<f32> {
    h.iter().zip(d).map(|(&h, &d)| (f64::from(h) + f64::from(d)) as f32).collect()
}
