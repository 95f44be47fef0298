//! Adding a layer's output to the residual stream.

use crate::cpu::split;

/// `h[i] = h[i] + d[i]` in place, one correctly rounded f32 addition each; both of one length.
///
/// # Panics
/// When the lengths differ.
pub fn residual_add(h: &mut [f32], d: &[f32]) {
    assert_eq!(h.len(), d.len(), "h and d must have one length");
    split::by_elements(h, |first, h| {
        for (h, d) in h.iter_mut().zip(&d[first..]) {
            *h += d;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::SampleRng;
    use crate::cpu::testing::uniform;

    #[test]
    fn is_one_rounded_addition() {
        let mut rng = SampleRng::new(3);
        for n in [1, 3, 16, 1031, 200_001] {
            let (mut h, d) = (uniform(&mut rng, n), uniform(&mut rng, n));
            // The f64 sum of two f32 of like size is exact, so rounding it is the definition.
            let want: Vec<u32> =
                h.iter().zip(&d).map(|(&h, &d)| ((f64::from(h) + f64::from(d)) as f32).to_bits()).collect();
            residual_add(&mut h, &d);
            assert_eq!(h.iter().map(|h| h.to_bits()).collect::<Vec<_>>(), want);
        }
    }

    #[test]
    fn keeps_subnormals_and_propagates() {
        let mut h = [1e-45, -0.0, f32::MAX, f32::NAN, f32::INFINITY];
        residual_add(&mut h, &[1e-45, -0.0, f32::MAX, 1.0, f32::NEG_INFINITY]);
        assert_eq!(h[0].to_bits(), 2);
        assert_eq!(h[1].to_bits(), (-0.0_f32).to_bits());
        assert_eq!(h[2], f32::INFINITY);
        assert!(h[3].is_nan() && h[4].is_nan());
    }
}
