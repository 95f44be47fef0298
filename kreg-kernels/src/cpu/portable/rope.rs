//! Rotary position embedding.

use crate::args::RopeStyle;

/// Pairs whose sines and cosines are held at a time; heads may be of any width.
const CHUNK: usize = 64;

/// Rotates each head of `x` (`[heads * head_dim]`, one position) in place: pair i by `pos * theta^(-2i / head_dim)`.
///
/// `(a, b)` becomes `(a cos - b sin, a sin + b cos)`; position 0 changes nothing. Angles, sines and cosines are f64, so
/// that the error does not grow with the position; the rotation is f32.
///
/// # Panics
/// When `head_dim` is zero or odd, or does not divide `x`.
pub fn rope(x: &mut [f32], head_dim: usize, pos: usize, theta: f32, style: RopeStyle) {
    assert!(
        head_dim > 0 && head_dim.is_multiple_of(2) && x.len().is_multiple_of(head_dim),
        "x must be [heads, even]"
    );
    let half = head_dim / 2;
    // theta^(-2/head_dim): each pair's frequency is the one before times this, exact to 1e-14 even at 128 pairs.
    let ratio = f64::from(theta).powf(-1.0 / half as f64);
    let mut angle = pos as f64;
    for first in (0..half).step_by(CHUNK) {
        let n = CHUNK.min(half - first);
        let (mut cos, mut sin) = ([0.0; CHUNK], [0.0; CHUNK]);
        for (cos, sin) in cos.iter_mut().zip(&mut sin).take(n) {
            (*sin, *cos) = (angle.sin() as f32, angle.cos() as f32);
            angle *= ratio;
        }
        let (cos, sin) = (&cos[..n], &sin[..n]);
        for head in x.chunks_exact_mut(head_dim) {
            match style {
                RopeStyle::Adjacent => adjacent(&mut head[2 * first..2 * (first + n)], cos, sin),
                RopeStyle::Neox => {
                    let (a, b) = head.split_at_mut(half);
                    neox(&mut a[first..first + n], &mut b[first..first + n], cos, sin);
                }
            }
        }
    }
}

/// Rotates neighbours.
fn adjacent(x: &mut [f32], cos: &[f32], sin: &[f32]) {
    for ((pair, &cos), &sin) in x.chunks_exact_mut(2).zip(cos).zip(sin) {
        let (a, b) = (pair[0], pair[1]);
        (pair[0], pair[1]) = (a * cos - b * sin, a * sin + b * cos);
    }
}

/// Rotates `a[i]` with `b[i]`.
fn neox(a: &mut [f32], b: &mut [f32], cos: &[f32], sin: &[f32]) {
    for (((a, b), &cos), &sin) in a.iter_mut().zip(b).zip(cos).zip(sin) {
        (*a, *b) = (*a * cos - *b * sin, *a * sin + *b * cos);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::SampleRng;
    use crate::cpu::testing::{assert_close, uniform};

    #[test]
    fn golden() {
        for (style, want) in [
            (RopeStyle::Adjacent, [-1.27223251, -1.83886499, 2.8786681, 4.08818664]),
            (RopeStyle::Neox, [-1.41335252, 1.87911807, -2.82885748, 4.05819114]),
        ] {
            let mut x = [1.0, 2.0, 3.0, 4.0];
            rope(&mut x, 4, 3, 1e4, style);
            assert_close(&x, &want, 1e-7);
        }
    }

    #[test]
    fn position_zero_is_the_identity() {
        let before = uniform(&mut SampleRng::new(1), 3 * 80);
        for style in [RopeStyle::Adjacent, RopeStyle::Neox] {
            let mut x = before.clone();
            rope(&mut x, 80, 0, 1e4, style);
            assert_eq!(x, before);
        }
    }

    #[test]
    fn any_width_and_far_positions() {
        for (d, pos) in [(2, 1), (6, 5), (64, 32_767), (128, 131_071), (130, 9), (512, 40_000)] {
            let before = uniform(&mut SampleRng::new(2), 3 * d);
            for style in [RopeStyle::Adjacent, RopeStyle::Neox] {
                let mut x = before.clone();
                rope(&mut x, d, pos, 5e5, style);
                let mut want = vec![0.0; x.len()];
                for head in 0..3 {
                    for i in 0..d / 2 {
                        let (i0, i1) = match style {
                            RopeStyle::Adjacent => (2 * i, 2 * i + 1),
                            RopeStyle::Neox => (i, i + d / 2),
                        };
                        let (i0, i1) = (head * d + i0, head * d + i1);
                        let angle = pos as f64 * 5e5_f64.powf(-2.0 * i as f64 / d as f64);
                        let (a, b) = (f64::from(before[i0]), f64::from(before[i1]));
                        want[i0] = a * angle.cos() - b * angle.sin();
                        want[i1] = a * angle.sin() + b * angle.cos();
                    }
                }
                assert_close(&x, &want, 2e-7);
            }
        }
    }

    #[test]
    fn nan_stays_in_its_pair() {
        let mut x = [1.0, f32::NAN, 3.0, 4.0];
        rope(&mut x, 4, 3, 1e4, RopeStyle::Adjacent);
        assert!(x[0].is_nan() && x[1].is_nan() && x[2].is_finite() && x[3].is_finite());
    }
}
