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
//! logits of plus infinity the probability is shared equally, and the lowest index comes first. If no logit is above
//! minus infinity the first of those that are not NaN is drawn, index 0 if every one is NaN.
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
    if top_p > 0.0 && top_p < 1.0 {
        let last = order.reach(top_p, max);
        order.keep(last + 1);
    }
    let drawn = order.reach(r, max);
    index(order.get(drawn).unwrap_or(first))
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
        let total = math::sum(self.keys, |key| f64::from(weight(key, max))) as f32;
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

/// The index in a key: its low half.
fn index(key: u64) -> u32 {
    key as u32
}

/// The numerator of the softmax. Equal infinities weigh 1; minus infinity and NaN weigh nothing.
fn weight(key: u64, max: f32) -> f32 {
    let x = value(key);
    if x == f32::NEG_INFINITY {
        0.0
    } else if x == max {
        1.0
    } else if x < max {
        math::exp(x - max)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::SampleRng;

    const NAN: f32 = f32::NAN;
    const INF: f32 = f32::INFINITY;
    const LAST_R: f32 = 0.99999994;
    const N: u32 = 19;

    fn drawn(logits: &[f32], temperature: f32, top_k: usize, top_p: f32, r: f32) -> u32 {
        draw(logits, temperature, top_k, top_p, r, &mut Workspace::new())
    }

    /// The definition with a full stable sort and f64 sums. `None` where `r` or `top_p` is too near a boundary to judge.
    fn definition(logits: &[f32], temperature: f32, top_k: usize, top_p: f32, r: f32) -> Option<u32> {
        let x: Vec<f64> = logits.iter().map(|&x| f64::from(x / temperature)).collect();
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&a, &b| x[b].partial_cmp(&x[a]).unwrap());
        if top_k > 0 {
            order.truncate(top_k);
        }
        let reach = |order: &[usize], target: f32| {
            let numerators = order.iter().map(|&i| (x[i] - x[order[0]]).exp());
            let total: f64 = numerators.clone().sum();
            let mut cumulative = 0.0;
            for (place, numerator) in numerators.enumerate() {
                cumulative += numerator / total;
                if (cumulative - f64::from(target)).abs() < 1e-4 {
                    return None;
                }
                if cumulative >= f64::from(target) {
                    return Some(place);
                }
            }
            Some(order.len() - 1)
        };
        if top_p > 0.0 && top_p < 1.0 {
            let last = reach(&order, top_p)?;
            order.truncate(last + 1);
        }
        Some(order[reach(&order, r)?] as u32)
    }

    #[test]
    fn golden() {
        let logits = [1.0, 4.0, 2.0, 3.0];
        for (top_k, top_p, r, want) in [
            (0, 1.0, 0.0, 1),
            (0, 1.0, 0.64, 1),
            (0, 1.0, 0.65, 3),
            (0, 1.0, 0.9999999, 0),
            (2, 1.0, 0.9999999, 3),
            (0, 0.5, 0.9, 1),
        ] {
            assert_eq!(drawn(&logits, 1.0, top_k, top_p, r), want, "k {top_k} p {top_p} r {r}");
        }
        assert_eq!(drawn(&[], 1.0, 0, 1.0, 0.5), 0);
    }

    #[test]
    fn agrees_with_the_definition() {
        let mut rng = SampleRng::new(5);
        let mut ws = Workspace::new();
        let mut judged = 0;
        for n in (1..400).step_by(3) {
            // Coarse steps make ties.
            let logits: Vec<f32> = (0..n).map(|_| (rng.next_f32() * 40.0).floor() / 4.0).collect();
            for temperature in [0.3, 1.0, 5.0] {
                for top_k in [0, 1, 2, 40, 200, n, n + 1] {
                    for top_p in [1.0, 0.0, 0.9, 0.3, -1.0, 2.0] {
                        let r = rng.next_f32();
                        let got = draw(&logits, temperature, top_k, top_p, r, &mut ws);
                        if let Some(want) = definition(&logits, temperature, top_k, top_p, r) {
                            assert_eq!(got, want, "n {n} T {temperature} k {top_k} p {top_p} r {r}");
                            judged += 1;
                        }
                    }
                }
            }
        }
        assert!(judged > 15_000, "{judged}");
    }

    #[test]
    fn breakpoints_of_equal_logits() {
        // Ten probabilities of 0.1, added in f32: the third sum is exactly the f32 0.3.
        let logits = [2.0; 10];
        assert_eq!(drawn(&logits, 1.0, 0, 1.0, 0.3), 2);
        assert_eq!(drawn(&logits, 1.0, 0, 1.0, 0.3_f32.next_up()), 3);
        assert_eq!(drawn(&logits, 1.0, 0, 0.3, LAST_R), 2);
        assert_eq!(drawn(&logits, 1.0, 3, 1.0, LAST_R), 2);
        assert_eq!(drawn(&logits, 1.0, 0, 1.0, 0.0), 0);
    }

    #[test]
    fn zeros_tie_and_nan_comes_last() {
        assert_eq!(drawn(&[-0.0, 0.0], 1.0, 1, 1.0, 0.0), 0);
        assert_eq!(drawn(&[0.0, -0.0], 1.0, 1, 1.0, 0.0), 0);
        assert_eq!(drawn(&[NAN, 1.0, -NAN, 2.0], 1.0, 0, 1.0, 0.0), 3);
        assert_eq!(drawn(&[NAN, 1.0, -NAN, 2.0], 1.0, 0, 1.0, LAST_R), 1);
        assert_eq!(drawn(&[NAN, -INF], 1.0, 0, 1.0, LAST_R), 1);
        assert_eq!(drawn(&[NAN, -NAN], 1.0, 0, 0.5, LAST_R), 0);
    }

    #[test]
    fn infinities() {
        for (r, want) in [(0.0, 1), (0.49, 1), (0.51, 3), (LAST_R, 3)] {
            assert_eq!(drawn(&[5.0, INF, NAN, INF, 7.0], 1.0, 0, 1.0, r), want, "{r}");
        }
        // A masked token is never drawn, however close to 1 r is.
        // N times the f32 nearest to 1/N, summed in f32, stays below that r, so here the walk runs past all of them.
        let logits: Vec<f32> = (0..2 * N).map(|i| if i % 2 == 0 { 1.0 } else { -INF }).collect();
        assert_eq!(drawn(&logits, 1.0, 0, 1.0, LAST_R), 2 * N - 2);
        assert_eq!(drawn(&[-INF; 4], 1.0, 0, 1.0, 0.6), 0);
        // Division by a tiny temperature overflows to ties.
        assert_eq!(drawn(&[1.0, 2.0, 3.0], 1e-45, 0, 1.0, 0.0), 0);
        assert_eq!(drawn(&[f32::MIN, f32::MAX], 1.0, 0, 1.0, LAST_R), 1);
    }

    #[test]
    fn a_full_vocabulary_in_a_reused_workspace() {
        let mut rng = SampleRng::new(6);
        let logits: Vec<f32> = (0..151_936).map(|_| rng.next_f32()).collect();
        let mut ws = Workspace::new();
        let mut sorted: Vec<usize> = (0..logits.len()).collect();
        sorted.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
        assert_eq!(draw(&logits, 1.0, 0, 1.0, 0.0, &mut ws), sorted[0] as u32);
        let held = ws.capacity();
        for k in [1, 40, 63, 64, 65, 129, 1000, 100_000] {
            assert_eq!(draw(&logits, 1e-6, k, 1.0, 0.0, &mut ws), sorted[0] as u32);
            // So hot that the survivors are equally likely.
            let middle = draw(&logits, 1e9, k, 1.0, 0.5, &mut ws);
            assert!(sorted[..k].contains(&(middle as usize)) || k == 1, "{k}");
        }
        assert_eq!(ws.capacity(), held);
    }
}
