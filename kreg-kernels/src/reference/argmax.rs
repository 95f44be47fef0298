//! The index of the largest value.

/// The lowest index that holds the largest value; NaN is never the largest. 0 when nothing is larger than negative
/// infinity.
pub fn argmax(x: &[f32]) -> u32 {
    let max = x.iter().copied().filter(|x| !x.is_nan()).fold(f32::NEG_INFINITY, f32::max);
    let found = x.iter().position(|&x| x == max && x > f32::NEG_INFINITY);
    found.unwrap_or(0) as u32
}

#[cfg(test)]
mod tests {
    use super::argmax;

    #[test]
    fn ties_nan_and_nothing() {
        assert_eq!(argmax(&[2.0, 1.0, 2.0]), 0);
        assert_eq!(argmax(&[f32::NAN, 0.5, 1.0]), 2);
        assert_eq!(argmax(&[f32::NAN, f32::NEG_INFINITY]), 0);
        assert_eq!(argmax(&[0.0, -0.0]), 0);
        assert_eq!(argmax(&[]), 0);
    }
}
