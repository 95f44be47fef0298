//! EM-SMX: softmax with the maximum subtracted, as cumulative probabilities.

use super::{Arithmetic, Builtins, SECOND_ORDER, Undefined};

/// Relative error of one weight `exp(s - max)` over their sum, where each score is off by at most `shift`: both
/// exponents move, both exps err, `terms` are added, and one quotient is taken. `spread` is the largest `max - s`.
pub(super) fn relative(
    shift: f64,
    spread: f64,
    terms: usize,
    sum: Arithmetic,
    builtins: &Builtins,
) -> Result<f64, Undefined> {
    let exponents = 4.0 * shift + 2.0 * sum.unit * spread;
    Ok(exponents + 2.0 * builtins.exp_of(spread) + sum.gamma(terms)? + 2.0 * sum.unit * builtins.division)
}

/// Bound per break point of the distribution that a sampler draws from (`breakpoints` of the definition). A break point
/// is a sum of weights, so it errs by their relative error and by that of another sum; near 1 no more than what is left
/// above it can move.
///
/// # Errors
/// When gamma is undefined.
pub fn breakpoints(
    logits: &[f32],
    temperature: f32,
    breakpoints: &[(u32, f64)],
    sum: Arithmetic,
    builtins: &Builtins,
) -> Result<Vec<f64>, Undefined> {
    let scaled = |token: u32| f64::from(logits[token as usize]) / f64::from(temperature);
    let kept = breakpoints.iter().map(|b| scaled(b.0));
    let top = kept.clone().fold(f64::NEG_INFINITY, f64::max);
    let low = kept.fold(top, f64::min);
    let shift = sum.unit * top.abs().max(low.abs());
    let relative = relative(shift, top - low, logits.len(), sum, builtins)? + sum.gamma(breakpoints.len())?;
    Ok(breakpoints.iter().map(|(_, at)| SECOND_ORDER * relative * at + sum.unit).collect())
}

#[cfg(test)]
mod tests {
    use super::super::F32;
    use super::*;
    use crate::reference::sample;

    #[test]
    fn a_wider_spread_errs_more() {
        let of = |logits: &[f32]| {
            let at = sample::breakpoints(logits, 0.7, 0, 1.0);
            breakpoints(logits, 0.7, &at, F32, &Builtins::CPU).unwrap()[0]
        };
        assert!(of(&[1.0, 2.0]) < 40.0 * F32.unit);
        assert!(of(&[1.0, 200.0]) > of(&[1.0, 2.0]));
    }
}
