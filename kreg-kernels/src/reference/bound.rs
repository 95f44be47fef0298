//! How far a computed sum may lie from the exact one.

/// `gamma_n = n u / (1 - n u)` for an f32 accumulator, `u = 2^-24`: the relative bound of a sum of `n` products in
/// any order, with or without fused multiply-add (Higham, *Accuracy and Stability of Numerical Algorithms*, 3.1).
///
/// # Panics
/// When `n u >= 1`, from which on nothing is bounded.
pub fn gamma(n: usize) -> f64 {
    let nu = n as f64 * f64::from(f32::EPSILON) / 2.0;
    assert!(nu < 1.0, "no bound holds for a sum of {n} terms in f32");
    nu / (1.0 - nu)
}

#[cfg(test)]
mod tests {
    use super::gamma;

    #[test]
    fn known_values() {
        assert_eq!(gamma(0), 0.0);
        assert!((gamma(1 << 20) - 1.0 / 15.0).abs() < 1e-15);
        assert!((gamma(1024) - 6.10e-5).abs() < 1e-7);
    }
}
