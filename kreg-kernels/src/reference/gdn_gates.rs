//! Gates of the gated delta net.

/// The decay `ln(1 + exp(alpha + dt_bias)) * a` and the write gate `1 / (1 + exp(-beta_raw))` of each value head.
///
/// Nothing is computed otherwise above some threshold, as kernels do: the logarithm is exact enough in f64.
pub fn gdn_gates(alpha: &[f32], dt_bias: &[f32], a: &[f32], beta_raw: &[f32]) -> (Vec<f64>, Vec<f64>) {
    let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    let inputs = alpha.iter().zip(dt_bias).map(|(&a, &b)| f64::from(a) + f64::from(b));
    let decay = inputs.zip(a).map(|(x, &a)| softplus(x) * f64::from(a)).collect();
    (decay, beta_raw.iter().map(|&b| 1.0 / (1.0 + (-f64::from(b)).exp())).collect())
}

#[cfg(test)]
mod tests {
    use super::gdn_gates;

    #[test]
    fn far_out_the_softplus_is_a_corner() {
        let (g, beta) = gdn_gates(&[500.0, -500.0], &[0.0; 2], &[-2.0; 2], &[0.0; 2]);
        assert_eq!((g[0], beta[0]), (-1000.0, 0.5));
        assert!(g[1] <= 0.0 && g[1] > -1e-200);
    }
}
