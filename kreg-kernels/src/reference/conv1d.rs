//! One step of a causal depthwise convolution with SiLU.

use super::widen;

/// The output `[channels]` and the next state `[channels, taps - 1]` for inputs `x` `[channels]`, the raw inputs of the
/// steps before in `state` (oldest first) and `weight` `[channels, taps]`: `y / (1 + exp(-y))` of the sum y of the last
/// `taps` inputs times their weights.
pub fn conv1d_silu(x: &[f32], state: &[f32], weight: &[f32]) -> (Vec<f64>, Vec<f32>) {
    let taps = weight.len() / x.len();
    let (mut out, mut next) = (Vec::new(), Vec::new());
    for (c, &x) in x.iter().enumerate() {
        let inputs = [&state[c * (taps - 1)..(c + 1) * (taps - 1)], &[x]].concat();
        let weight = widen(&weight[c * taps..(c + 1) * taps]);
        let sum: f64 = widen(&inputs).iter().zip(&weight).map(|(x, w)| x * w).sum();
        out.push(sum / (1.0 + (-sum).exp()));
        next.extend_from_slice(&inputs[1..]);
    }
    (out, next)
}

#[cfg(test)]
mod tests {
    use super::conv1d_silu;

    #[test]
    fn a_constant_input_fills_the_state() {
        let mut state = vec![0.0; 3];
        for _ in 0..3 {
            state = conv1d_silu(&[2.0], &state, &[0.0, 0.0, 0.0, 1.0]).1;
        }
        assert_eq!(state, [2.0; 3]);
        let (out, _) = conv1d_silu(&[2.0], &state, &[0.25; 4]);
        assert!((out[0] - 2.0 / (1.0 + (-2.0f64).exp())).abs() < 1e-15);
    }
}
