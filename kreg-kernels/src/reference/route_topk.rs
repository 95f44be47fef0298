//! Choosing experts.

use super::widen;

/// The `k` likeliest experts, best first and the lower index first among equals, with their probabilities divided by
/// those probabilities' sum.
pub fn route_topk(logits: &[f32], k: usize) -> Vec<(u32, f64)> {
    let logits = widen(logits);
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = logits.iter().map(|l| (l - max).exp()).sum();
    let mut experts: Vec<(u32, f64)> = (0..).zip(logits.iter().map(|l| (l - max).exp() / total)).collect();
    experts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    experts.truncate(k);
    let kept: f64 = experts.iter().map(|expert| expert.1).sum();
    experts.iter().map(|&(expert, p)| (expert, p / kept)).collect()
}

#[cfg(test)]
mod tests {
    use super::route_topk;

    #[test]
    fn equal_experts_share() {
        assert_eq!(route_topk(&[1.0, 3.0, 2.0, 3.0], 2), [(1, 0.5), (3, 0.5)]);
    }
}
