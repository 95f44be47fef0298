//! EM-ROPE: sine and cosine of an angle that is itself rounded.

use super::{F32, SECOND_ORDER};
use crate::args::RopeStyle;
use crate::reference::widen;

/// `sqrt(2) da + 4 u` of its pair's norm per element, where `da` is how far an f32 angle may be off: a shift of the angle
/// turns the pair by as much. The first `n_rot` of `head_dim` elements turn, in pairs of `style`; the others are copied.
///
/// The angle of pair `i` is `a = pos * theta^-e`, `e = 2 i / n_rot`, of which f32 rounds the power, its quotient and the
/// product with `pos`, 3 `u`, and the exponent, which the power makes `e ln(theta) u`. So the pairs that turn fast may be
/// off by much at a far position, and those that turn slowly by no more than their sines and cosines.
pub fn rope(
    x: &[f32],
    (head_dim, n_rot): (usize, usize),
    pos: usize,
    theta: f32,
    style: RopeStyle,
) -> Vec<f64> {
    let half = n_rot / 2;
    let of = |head: &[f64]| -> Vec<f64> {
        let bound = |i: usize| {
            if i >= n_rot {
                return 0.0;
            }
            let (pair, other) = match style {
                RopeStyle::Adjacent => (i / 2, i ^ 1),
                RopeStyle::Neox => (i % half, (i + half) % n_rot),
            };
            let relative = relative(pos, f64::from(theta), 2.0 * pair as f64 / n_rot as f64);
            SECOND_ORDER * relative * head[i].hypot(head[other]) + F32.smallest_normal
        };
        (0..head.len()).map(bound).collect()
    };
    widen(x).chunks(head_dim).flat_map(of).collect()
}

/// Bound on the change of each head's norm: a rotation keeps it, sines and cosines of whatever angle err by 4 `u`, and
/// the norm that is compared was rounded to f32.
pub fn turned_norms(x: &[f32], head_dim: usize) -> Vec<f64> {
    let norm = |head: &[f64]| head.iter().map(|x| x * x).sum::<f64>().sqrt();
    widen(x).chunks(head_dim).map(|head| SECOND_ORDER * 5.0 * F32.unit * norm(head)).collect()
}

/// Of the norm of the pair whose angle is `pos * theta^-exponent`.
fn relative(pos: usize, theta: f64, exponent: f64) -> f64 {
    let angle = pos as f64 * theta.powf(-exponent);
    let off = angle * (3.0 + exponent * theta.ln().abs()) * F32.unit;
    std::f64::consts::SQRT_2 * off + 4.0 * F32.unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_figure_is_that_of_the_fastest_pair() {
        assert!((relative(32_768, 1e6, 0.0) - 0.008_286_646).abs() < 1e-8);
        let x = [1.0; 128];
        for style in [RopeStyle::Adjacent, RopeStyle::Neox] {
            let bound = rope(&x, (128, 128), 32_767, 1e6, style);
            assert!(bound[0] > 0.01 && bound[127] < 8.0 * F32.unit, "{} {}", bound[0], bound[127]);
        }
    }

    #[test]
    fn what_does_not_turn_is_exact() {
        let bound = rope(&[3.0, 4.0, 5.0], (3, 2), 0, 1e4, RopeStyle::Neox);
        assert!(bound[2] == 0.0 && (bound[0] / 5.0 - 4.4 * F32.unit).abs() < 1e-12);
        assert!((turned_norms(&[3.0, 4.0], 2)[0] - 27.5 * F32.unit).abs() < 1e-12);
    }
}
