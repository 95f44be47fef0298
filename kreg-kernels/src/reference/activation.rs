//! Activations as the kernels that do not take them in f32 see them.

use std::num::FpCategory;

/// The activations that `x` stands for after quantisation to 8 bits in blocks of `block` (32 for precision `q8_0`, 256
/// for `q8_k`): `scale * code`, each block with an f32 `scale = amax / 127` and codes `x * (127 / amax)` rounded to
/// f32 and then to the nearest integer, halves to even, within -127..=127. A short last block is a block.
///
/// - A block so small that `127 / amax` is no finite f32 is all zeros.
/// - A block with a NaN is all NaN.
/// - A block with an infinity keeps its infinities and is zero elsewhere.
pub fn quantised(x: &[f32], block: usize) -> Vec<f64> {
    x.chunks(block).flat_map(quantised_block).collect()
}

fn quantised_block(x: &[f32]) -> Vec<f64> {
    if x.iter().any(|x| x.is_nan()) {
        return vec![f64::NAN; x.len()];
    }
    let amax = x.iter().fold(0.0f32, |max, x| max.max(x.abs()));
    if amax.is_infinite() {
        return x.iter().map(|&x| if x.is_infinite() { x.into() } else { 0.0 }).collect();
    }
    let inverse = 127.0 / amax;
    if inverse.is_infinite() {
        return vec![0.0; x.len()];
    }
    let scale = f64::from(amax / 127.0);
    x.iter().map(|x| scale * f64::from((x * inverse).round_ties_even().clamp(-127.0, 127.0))).collect()
}

/// The activations that `x` stands for in bf16 (precision `bf16`): the upper half of each f32, halves to even, as CPUs
/// round to it: subnormal numbers are zero.
pub fn rounded_to_bf16(x: &[f32]) -> Vec<f64> {
    let round = |x: f32| match x.classify() {
        FpCategory::Normal => {
            let exponent = (x.to_bits() >> 23 & 255) as i32 - 127;
            let step = 2f64.powi(exponent - 7);
            let rounded = (f64::from(x) / step).round_ties_even() * step;
            if rounded.abs() > f64::from(f32::MAX) { rounded * f64::INFINITY } else { rounded }
        }
        FpCategory::Nan | FpCategory::Infinite => f64::from(x),
        FpCategory::Subnormal | FpCategory::Zero => 0.0,
    };
    x.iter().map(|&x| round(x)).collect()
}

#[cfg(test)]
mod tests {
    use super::{quantised, rounded_to_bf16};

    #[test]
    fn bf16_has_eight_bits() {
        let x = [1.0, 1.003_906_3, 1.011_718_8, -1.005, 3e38, 1e-40, f32::INFINITY];
        assert_eq!(rounded_to_bf16(&x)[..4], [1.0, 1.0, 1.015_625, -1.0078125]);
        assert!((rounded_to_bf16(&x)[4] / 3e38 - 1.0).abs() < 0.004);
        assert_eq!(rounded_to_bf16(&x)[5..], [0.0, f64::INFINITY]);
        assert!(rounded_to_bf16(&[f32::NAN])[0].is_nan());
    }

    #[test]
    fn halves_go_to_the_even_code() {
        assert_eq!(quantised(&[127.0, 0.5, 1.5, -2.5, -127.0], 32), [127.0, 0.0, 2.0, -2.0, -127.0]);
    }

    #[test]
    fn each_block_has_its_own_scale() {
        assert_eq!(quantised(&[127.0, 0.4, 0.4, 0.1], 2)[1], 0.0);
        assert!((quantised(&[127.0, 0.4, 0.4, 0.1], 2)[2] - 0.4).abs() < 1e-7);
    }

    #[test]
    fn what_is_not_finite_survives() {
        assert!(quantised(&[1.0, f32::NAN], 2).iter().all(|x| x.is_nan()));
        assert_eq!(quantised(&[1.0, f32::NEG_INFINITY], 2), [0.0, f64::NEG_INFINITY]);
        assert_eq!(quantised(&[1e-45, 0.0], 2), [0.0, 0.0]);
    }
}
