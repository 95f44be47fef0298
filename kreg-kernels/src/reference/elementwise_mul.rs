//! Products, element by element.

/// `a * b`: exact in float64.
pub fn elementwise_mul(a: &[f32], b: &[f32]) -> Vec<f64> {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).collect()
}
