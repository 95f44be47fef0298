//! The draw that every sampling row is defined on.
//!
//! 1. Divide each logit by the temperature.
//! 2. Order them: largest first, equal values by index (`-0.0` equals `+0.0`), NaN after everything else.
//! 3. Keep the first `top_k`; 0 keeps all.
//! 4. If `0 < top_p < 1`, keep up to and including the first token whose cumulative probability reaches `top_p`.
//! 5. Softmax over the survivors; take the first whose cumulative probability reaches `r`.
//!
//! Cumulative sums are f32, in that order. A token of probability zero (NaN, minus infinity, or too far below the
//! largest) is never drawn: where rounding keeps the sum below `r`, the last token of positive probability is. Among
//! logits of plus infinity the probability is shared equally, and the lowest index comes first. If every logit is NaN
//! the answer is index 0.
//!
//! A vocabulary is large and a draw seldom looks past the first few tokens, so nothing is sorted that is not looked at.

use crate::cpu::math;
use crate::workspace::Workspace;

/// The index drawn; 0 for empty logits.
pub(super) fn draw(
    logits: &[f32],
    temperature: f32,
    top_k: usize,
    top_p: f32,
    r: f32,
    ws: &mut Workspace,
) -> u32 {
    let keys: &mut [u64] = ws.slice(logits.len());
    for ((key, &x), index) in keys.iter_mut().zip(logits).zip(0..) {
        *key = pack(x / temperature, index);
    }
    let mut order = Order { keys, sorted: 0 };
    if top_k > 0 {
        order.keep(top_k);
    }
    let Some(first) = order.get(0) else { return 0 };
    let max = value(first);
    if max.is_nan() {
        return first as u32;
    }
    if top_p > 0.0 && top_p < 1.0 {
        let last = order.reach(top_p, max);
        order.keep(last + 1);
    }
    let drawn = order.reach(r, max);
    order.get(drawn).unwrap_or(first) as u32
}

/// Packed logits, ascending = best first; the first `sorted` are in order and no later one precedes them.
struct Order<'k> {
    keys: &'k mut [u64],
    sorted: usize,
}

impl Order<'_> {
    /// Drops all but the best `n`.
    fn keep(&mut self, n: usize) {
        if n >= self.keys.len() {
            return;
        }
        if n > self.sorted {
            self.keys[self.sorted..].select_nth_unstable(n - self.sorted);
        }
        let keys = std::mem::take(&mut self.keys);
        self.keys = &mut keys[..n];
        self.sorted = self.sorted.min(n);
    }

    /// The key at place `i`, sorting as far as needed: each step doubles what is sorted.
    fn get(&mut self, i: usize) -> Option<u64> {
        while i >= self.sorted && self.sorted < self.keys.len() {
            let rest = &mut self.keys[self.sorted..];
            let step = self.sorted.max(64).min(rest.len());
            if step < rest.len() {
                rest.select_nth_unstable(step);
            }
            rest[..step].sort_unstable();
            self.sorted += step;
        }
        self.keys.get(i).copied()
    }

    /// The first place whose cumulative probability is at least `target`, or the last of positive probability.
    fn reach(&mut self, target: f32, max: f32) -> usize {
        let total = self.keys.iter().map(|&key| f64::from(weight(key, max))).sum::<f64>() as f32;
        let (mut place, mut cumulative) = (0, 0.0);
        while let Some(key) = self.get(place) {
            let weight = weight(key, max);
            if weight == 0.0 {
                break;
            }
            cumulative += weight / total;
            if cumulative >= target {
                return place;
            }
            place += 1;
        }
        place.saturating_sub(1)
    }
}

/// A logit and its index as one number: smaller means larger logit, then lower index. NaN gets the largest numbers.
fn pack(x: f32, index: u32) -> u64 {
    // Adding zero turns -0.0 into +0.0.
    let bits = (x + 0.0).to_bits();
    let descending = if bits >> 31 == 0 { !(bits | 1 << 31) } else { bits };
    let rank = if x.is_nan() { u32::MAX } else { descending };
    u64::from(rank) << 32 | u64::from(index)
}

/// The logit in a key.
fn value(key: u64) -> f32 {
    let rank = (key >> 32) as u32;
    f32::from_bits(if rank >> 31 == 0 { !rank & !(1 << 31) } else { rank })
}

/// The numerator of the softmax. Equal infinities weigh 1; NaN weighs nothing.
fn weight(key: u64, max: f32) -> f32 {
    let x = value(key);
    if x == max {
        1.0
    } else if x < max {
        math::exp(x - max)
    } else {
        0.0
    }
}
