//! Drawing a token: the distribution as breakpoints, and the generator of the seeded draws.

mod generator;

pub use generator::Generator;

/// The tokens that can be drawn, most likely first, each with the cumulative probability up to and including it. A draw
/// of `r` returns the first token whose breakpoint is at least `r`.
///
/// Logits are divided by `temperature` and ordered, the lower index first among equals. `top_k` keeps that many (0:
/// all). `top_p` in (0, 1) then keeps tokens up to the first whose cumulative probability reaches it; otherwise it is
/// off. What is left is normalised again.
pub fn breakpoints(logits: &[f32], temperature: f32, top_k: usize, top_p: f32) -> Vec<(u32, f64)> {
    let scaled = |token: u32| f64::from(logits[token as usize]) / f64::from(temperature);
    let mut tokens: Vec<u32> = (0..logits.len() as u32).collect();
    tokens.sort_by(|&a, &b| scaled(b).total_cmp(&scaled(a)).then(a.cmp(&b)));
    if top_k > 0 {
        tokens.truncate(top_k);
    }
    if 0.0 < top_p && top_p < 1.0 {
        let reached = cumulative(&tokens, scaled).iter().position(|&sum| sum >= f64::from(top_p));
        tokens.truncate(reached.map_or(tokens.len(), |last| last + 1));
    }
    let sums = cumulative(&tokens, scaled);
    tokens.into_iter().zip(sums).collect()
}

/// The token that `r` in `[0, 1)` draws; 0 when there is none.
pub fn draw(breakpoints: &[(u32, f64)], r: f64) -> u32 {
    breakpoints.iter().find(|(_, sum)| *sum >= r).or(breakpoints.last()).map_or(0, |(token, _)| *token)
}

/// Running sums of the softmax over `tokens`.
fn cumulative(tokens: &[u32], scaled: impl Fn(u32) -> f64) -> Vec<f64> {
    let Some(&top) = tokens.first() else { return Vec::new() };
    let weights: Vec<f64> = tokens.iter().map(|&token| (scaled(token) - scaled(top)).exp()).collect();
    let total: f64 = weights.iter().sum();
    (1..=weights.len()).map(|n| weights[..n].iter().sum::<f64>() / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn top_k_and_top_p_cut_the_tail() {
        let tokens =
            |k, p| breakpoints(&[1.0, 4.0, 2.0, 3.0], 1.0, k, p).iter().map(|b| b.0).collect::<Vec<_>>();
        assert_eq!(tokens(0, 1.0), [1, 3, 2, 0]);
        assert_eq!(tokens(2, 1.0), [1, 3]);
        assert_eq!(tokens(0, 0.5), [1]);
        assert_eq!(draw(&breakpoints(&[1.0, 1.0], 1.0, 0, 1.0), 0.5), 0);
        assert_eq!(draw(&[], 0.5), 0);
    }
}
