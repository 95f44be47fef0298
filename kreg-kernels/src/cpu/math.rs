//! The arithmetic that several op kernels share. Plain Rust that the compiler turns into vector code; every sum has
//! one fixed order, so results are the same bits on every machine.

/// Partial sums of a reduction: enough to fill two vectors of 256 bits.
const LANES: usize = 16;

/// The sum of `a[i] * b[i]`, in f32.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tail: f32 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    halve(sums) + tail
}

/// Adds the lanes pairwise.
fn halve(mut sums: [f32; LANES]) -> f32 {
    let mut n = LANES / 2;
    while n > 0 {
        for i in 0..n {
            sums[i] += sums[i + n];
        }
        n /= 2;
    }
    sums[0]
}

/// The largest value that is not NaN; negative infinity when there is none.
#[inline(always)]
pub(crate) fn max(x: &[f32]) -> f32 {
    let larger = |max: f32, x: f32| if x > max { x } else { max };
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let chunks = x.chunks_exact(LANES);
    let tail = chunks.remainder().iter().copied().fold(f32::NEG_INFINITY, larger);
    for x in chunks {
        for (lane, &x) in lanes.iter_mut().zip(x) {
            *lane = larger(*lane, x);
        }
    }
    lanes.into_iter().fold(tail, larger)
}

/// The sum of `f(x)` in f64: squares of large f32 values stay finite, and rounding is far below one f32 step.
#[inline(always)]
pub(crate) fn sum<T: Copy>(x: &[T], f: impl Fn(T) -> f64) -> f64 {
    let mut sums = [0.0; LANES / 2];
    let chunks = x.chunks_exact(sums.len());
    let tail: f64 = chunks.remainder().iter().map(|&x| f(x)).sum();
    for x in chunks {
        for (sum, &x) in sums.iter_mut().zip(x) {
            *sum += f(x);
        }
    }
    sums.iter().sum::<f64>() + tail
}

/// `e^x` within 2 units in the last place, subnormal results included; overflow is infinity, NaN stays NaN.
///
/// `x = n ln 2 + r` with `|r| <= ln 2 / 2` (the two constants of ln 2 are Cody and Waite's: the product of the first
/// with any such n is exact), then the Taylor series of `e^r`, whose ninth term is below a tenth of a unit, then two
/// multiplications by powers of two: `2^n` itself may be out of range where the result is not.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
    const ROUND: f32 = 12_582_912.0;
    // Beyond these the result is 0 or infinity, and n stays small enough for two factors.
    let x = x.clamp(-110.0, 100.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted.to_bits().wrapping_sub(ROUND.to_bits()) as i32;
    let whole = shifted - ROUND;
    let r = (x - whole * LN2_HIGH) - whole * LN2_LOW;
    let mut series = 1.0 / 5040.0;
    for c in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series * r + c;
    }
    let half = n >> 1;
    series * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// `2^n` for n in the exponent range of f32; any value for another n.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// `x / (1 + e^-y)`: the logistic function of `y`, times `x`.
#[inline]
pub(crate) fn gated(x: f32, y: f32) -> f32 {
    x / (1.0 + exp(-y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_within_two_units_everywhere() {
        let mut worst = 0.0_f64;
        for i in 0..2_000_000 {
            let x = -104.0 + i as f32 * 1e-4;
            let want = f64::from(x).exp();
            let got = f64::from(exp(x));
            if want > f64::from(f32::MAX) {
                continue;
            }
            let unit = f64::from((want as f32).next_up() - want as f32);
            worst = worst.max((got - want).abs() / unit);
        }
        assert!(worst <= 2.0, "{worst}");
        assert!(worst > 0.4, "the measure itself is broken: {worst}");
    }

    #[test]
    fn exp_at_the_edges() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-0.0), 1.0);
        assert_eq!(exp(88.8), f32::INFINITY);
        assert_eq!(exp(f32::INFINITY), f32::INFINITY);
        assert_eq!(exp(f32::MAX), f32::INFINITY);
        assert_eq!(exp(-104.0), 0.0);
        assert_eq!(exp(f32::MIN), 0.0);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert!(exp(f32::NAN).is_nan());
        assert!(exp(88.7).is_finite());
    }

    #[test]
    fn sums_use_every_element() {
        for n in [0, 1, 7, 8, 15, 16, 17, 33, 100] {
            let x: Vec<f32> = (1..=n).map(|i| i as f32).collect();
            let squares = (n * (n + 1) * (2 * n + 1) / 6) as f32;
            assert_eq!(dot(&x, &x), squares, "{n}");
            assert_eq!(sum(&x, |x| f64::from(x * x)), f64::from(squares), "{n}");
        }
    }
}
