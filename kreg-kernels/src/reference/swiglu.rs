//! SiLU of the gate, times the other branch.

/// `g / (1 + exp(-g)) * u`.
pub fn swiglu(gate: &[f32], up: &[f32]) -> Vec<f64> {
    let silu = |g: f64| g / (1.0 + (-g).exp());
    gate.iter().zip(up).map(|(&g, &u)| silu(g.into()) * f64::from(u)).collect()
}
