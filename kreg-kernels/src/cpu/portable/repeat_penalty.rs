//! Making tokens of the recent context less likely.

use crate::workspace::Workspace;

/// Penalises, once, each distinct token among the last `last_n` of `context`: `x <= 0` becomes `x * penalty`, any other
/// logit `x / penalty`.
///
/// Tokens outside `logits` are skipped. Nothing changes when the penalty is 1, the window or the context empty.
pub fn repeat_penalty(logits: &mut [f32], context: &[u32], last_n: usize, penalty: f32, ws: &mut Workspace) {
    if penalty == 1.0 {
        return;
    }
    let window = &context[context.len().saturating_sub(last_n)..];
    // One bit per token says that it has been penalised.
    let seen: &mut [u64] = ws.slice(logits.len().div_ceil(64));
    seen.fill(0);
    for &token in window {
        let token = token as usize;
        let Some(x) = logits.get_mut(token) else { continue };
        let (word, bit) = (&mut seen[token / 64], 1 << (token % 64));
        if *word & bit == 0 {
            *word |= bit;
            *x = if *x <= 0.0 { *x * penalty } else { *x / penalty };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn penalised(logits: &[f32], context: &[u32], last_n: usize, penalty: f32) -> Vec<f32> {
        let mut out = logits.to_vec();
        repeat_penalty(&mut out, context, last_n, penalty, &mut Workspace::new());
        out
    }

    #[test]
    fn golden() {
        assert_eq!(penalised(&[4.0, -4.0, 5.0], &[0, 0, 1, 9], 64, 2.0), [2.0, -8.0, 5.0]);
    }

    #[test]
    fn window_is_the_end_of_the_context() {
        let logits = [8.0; 4];
        assert_eq!(penalised(&logits, &[0, 1, 2], 2, 2.0), [8.0, 4.0, 4.0, 8.0]);
        assert_eq!(penalised(&logits, &[0, 1, 2], 0, 2.0), logits);
        assert_eq!(penalised(&logits, &[], 64, 2.0), logits);
        assert_eq!(penalised(&logits, &[0, 1, 2], usize::MAX, 2.0), [4.0, 4.0, 4.0, 8.0]);
    }

    #[test]
    fn edges() {
        let x = penalised(&[0.0, -0.0, f32::NAN, f32::INFINITY, 1e-45], &[0, 1, 2, 3, 4, u32::MAX], 64, 2.0);
        assert_eq!([x[0].to_bits(), x[1].to_bits()], [0.0_f32.to_bits(), (-0.0_f32).to_bits()]);
        assert!(x[2].is_nan());
        assert_eq!(x[3..], [f32::INFINITY, 0.0]);
        let quiet = [f32::from_bits(0x7fa0_0001), 1.0];
        assert_eq!(
            penalised(&quiet, &[0, 1], 64, 1.0)[0].to_bits(),
            quiet[0].to_bits(),
            "penalty 1 touches nothing"
        );
    }

    #[test]
    fn a_dirty_workspace_and_long_contexts() {
        let mut ws = Workspace::new();
        ws.slice::<u64>(64).fill(u64::MAX);
        let mut logits = vec![3.0; 1000];
        let context: Vec<u32> = (0..100_000).map(|i| i % 999).collect();
        repeat_penalty(&mut logits, &context, 100_000, 3.0, &mut ws);
        assert!(logits[..999].iter().all(|&x| x == 1.0));
        assert_eq!(logits[999], 3.0);
    }
}
