//! One step of the gated delta rule.

use super::widen;

/// The output `[nv, dv]` and the next state `[nv, dv, dk]`.
///
/// `q` and `k` are `[nk, dk]`, `v` is `[nv, dv]`, `beta` and `g` are `[nv]`. Value head h reads key head `h mod nk`. With S
/// the state of a head as a matrix that a key multiplies: S decays by `exp(g)`, then `S += beta (v - S k) k^T`, and the
/// output is `S q / sqrt(dk)`.
pub fn delta_rule(
    q: &[f32],
    k: &[f32],
    v: &[f32],
    beta: &[f32],
    g: &[f32],
    state: &[f32],
    nk: usize,
) -> (Vec<f64>, Vec<f64>) {
    let (nv, dk) = (beta.len(), q.len() / nk);
    let dv = v.len() / nv;
    let (q, k, v, mut state) = (widen(q), widen(k), widen(v), widen(state));
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut out = Vec::new();
    for (row, s) in state.chunks_exact_mut(dk).enumerate() {
        let h = row / dv;
        let key_head = h % nk * dk..(h % nk + 1) * dk;
        let (q, k) = (&q[key_head.clone()], &k[key_head]);
        s.iter_mut().for_each(|s| *s *= f64::from(g[h]).exp());
        let delta = (v[row] - product(s, k)) * f64::from(beta[h]);
        s.iter_mut().zip(k).for_each(|(s, k)| *s += k * delta);
        out.push(product(s, q) / (dk as f64).sqrt());
    }
    (out, state)
}

#[cfg(test)]
mod tests {
    use super::delta_rule;

    /// With a full write along a unit key, reading along that key gives the value back.
    #[test]
    fn what_is_written_is_read() {
        let (q, v) = ([0.0, 1.0], [3.0, -4.0]);
        let (out, state) = delta_rule(&q, &q, &v, &[1.0], &[-0.5], &[1.0, 2.0, 3.0, 4.0], 1);
        let decay = (-0.5f64).exp();
        assert_eq!(state, [decay, 3.0, 3.0 * decay, -4.0]);
        assert_eq!(out, [3.0 / 2.0f64.sqrt(), -4.0 / 2.0f64.sqrt()]);
    }
}
