//! GELU in its tanh form.

use std::f64::consts::PI;

/// `0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`.
pub fn gelu(x: &[f32]) -> Vec<f64> {
    let gelu = |x: f64| 0.5 * x * (1.0 + ((2.0 / PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh());
    x.iter().map(|&x| gelu(x.into())).collect()
}
