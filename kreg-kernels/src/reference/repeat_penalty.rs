//! Making recent tokens less likely.

use std::collections::BTreeSet;

/// `logits` with each distinct token of the last `last_n` of `context` penalised once: `x <= 0` becomes `x * p`,
/// `x > 0` becomes `x / p`, rounded once to f32. Tokens past the end of `logits` are skipped.
pub fn repeat_penalty(logits: &[f32], context: &[u32], last_n: usize, penalty: f32) -> Vec<f32> {
    let mut out = logits.to_vec();
    let window = &context[context.len().saturating_sub(last_n)..];
    for token in window.iter().copied().collect::<BTreeSet<_>>() {
        if let Some(logit) = out.get_mut(token as usize) {
            let (x, p) = (f64::from(*logit), f64::from(penalty));
            let penalised = if x <= 0.0 { x * p } else { x / p };
            *logit = penalised as f32;
        }
    }
    out
}
