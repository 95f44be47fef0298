//! Multiplication by the sigmoid of a gate.

/// `x / (1 + exp(-gate))`.
pub fn sigmoid_gate(x: &[f32], gate: &[f32]) -> Vec<f64> {
    x.iter().zip(gate).map(|(&x, &g)| f64::from(x) / (1.0 + (-f64::from(g)).exp())).collect()
}
