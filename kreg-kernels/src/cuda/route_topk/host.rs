//! Choosing experts by router logits that were copied to the host.

use crate::refusal::Refusal;

/// Writes the `experts.len()` experts with the largest of `logits` to `experts`, best first and the lower index first among
/// equals, and to `weights` their softmax over all experts, divided by its sum over the chosen.
///
/// That sum is all that remains of the softmax's own, which cancels. NaN comes after every number; a logit that is NaN or
/// plus infinity makes every weight NaN if it is chosen.
///
/// # Errors
/// [`Refusal::Empty`] without logits or experts, [`Refusal::TooLarge`] for more experts than logits,
/// [`Refusal::Length`]; nothing has been written then.
pub fn host(logits: &[f32], experts: &mut [u32], weights: &mut [f32]) -> Result<(), Refusal> {
    let (all, chosen) = (logits.len(), experts.len());
    if all == 0 || chosen == 0 {
        return Err(Refusal::Empty { what: if all == 0 { "router logits" } else { "experts" } });
    }
    if chosen > all || u32::try_from(all).is_err() {
        let limit = all.min(u32::MAX as usize) as u64;
        return Err(Refusal::TooLarge { what: "experts of a token", limit, got: chosen as u64 });
    }
    if weights.len() != chosen {
        let (expected, got) = (chosen as u64, weights.len() as u64);
        return Err(Refusal::Length { what: "weights", expected, got });
    }
    // Few are chosen of many: a pass for each is faster than a sort, and needs no memory.
    let mut last = None;
    for expert in experts.iter_mut() {
        let rest = (0..all).map(|i| key(logits, i)).filter(|key| last.is_none_or(|last| *key < last));
        // There is one: no more are chosen than there are, and keys differ.
        let best = rest.max().unwrap_or_default();
        last = Some(best);
        *expert = !(best as u32);
    }
    let logit = |expert: u32| f64::from(logits[expert as usize]);
    let max = logit(experts[0]);
    let sum: f64 = experts.iter().map(|&expert| (logit(expert) - max).exp()).sum();
    for (weight, &expert) in weights.iter_mut().zip(experts.iter()) {
        *weight = ((logit(expert) - max).exp() / sum) as f32;
    }
    Ok(())
}

/// A logit and its index as one number: larger means a larger logit, then a lower index. NaN gets the smallest.
fn key(logits: &[f32], index: usize) -> u64 {
    // Adding zero turns -0.0 into +0.0.
    let bits = (logits[index] + 0.0).to_bits();
    let rank = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    let rank = if logits[index].is_nan() { 0 } else { rank };
    u64::from(rank) << 32 | u64::from(!(index as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;
    use crate::reference::workload::Random;

    fn routed(logits: &[f32], k: usize) -> (Vec<u32>, Vec<f32>) {
        let (mut experts, mut weights) = (vec![u32::MAX; k], vec![9.0; k]);
        host(logits, &mut experts, &mut weights).unwrap();
        (experts, weights)
    }

    #[test]
    fn golden() {
        assert_eq!(routed(&[1.0, 3.0, 2.0, 3.0], 2), (vec![1, 3], vec![0.5, 0.5]));
        let (experts, weights) = routed(&[1.0, 3.0, 2.0, 0.0], 2);
        assert_eq!((experts, weights), (vec![1, 2], vec![0.731_058_6, 0.268_941_43]));
    }

    #[test]
    fn agrees_with_the_definition() {
        let mut random = Random::new(8);
        for (n, k) in [(1, 1), (8, 8), (64, 8), (128, 8), (512, 10)] {
            // Steps of a quarter make ties.
            let logits: Vec<f32> = (0..n).map(|_| (random.normal() * 12.0).round() as f32 / 4.0).collect();
            let (experts, weights) = routed(&logits, k);
            let want = reference::route_topk(&logits, k);
            assert_eq!(experts, want.iter().map(|w| w.0).collect::<Vec<_>>());
            for (got, want) in weights.iter().zip(&want) {
                assert!((f64::from(*got) - want.1).abs() <= 6e-8, "{n} {k}: {got} {want:?}");
            }
        }
    }

    #[test]
    fn edges() {
        let (experts, weights) = routed(&[f32::NAN, -1.0, -0.0, 0.0], 4);
        assert_eq!(experts, [2, 3, 1, 0]);
        assert!(weights.iter().all(|w| w.is_nan()));
        assert_eq!(routed(&[f32::NAN, 5.0], 1), (vec![1], vec![1.0]));
        assert_eq!(routed(&[f32::NEG_INFINITY, 5.0], 2), (vec![1, 0], vec![1.0, 0.0]));
    }

    #[test]
    fn refusals() {
        let code = |n, k, w| {
            let (mut experts, mut weights) = ([7; 4], [7.0; 4]);
            let refusal = host(&[1.0; 3][..n], &mut experts[..k], &mut weights[..w]).unwrap_err();
            assert_eq!((experts, weights), ([7; 4], [7.0; 4]));
            refusal.code()
        };
        assert_eq!(code(0, 1, 1), "KR-S02");
        assert_eq!(code(3, 0, 0), "KR-S02");
        assert_eq!(code(3, 4, 4), "KR-S04");
        assert_eq!(code(3, 2, 3), "KR-S01");
    }
}
