//! EM-ROPE: sine and cosine of an angle that is itself rounded.

use super::{F32, SECOND_ORDER};
use crate::reference::widen;

/// `sqrt(2) 3 u pos + 4 u` of its pair's norm per element: an f32 angle at position `pos` has rounded the frequency, its
/// quotient and its product, and a shift of the angle turns the pair by as much. `pair` names the other element of a
/// pair within its head; an element that is its own pair is copied.
pub fn rope(x: &[f32], head_dim: usize, pos: usize, pair: impl Fn(usize) -> usize) -> Vec<f64> {
    let relative = SECOND_ORDER * relative(pos);
    let of = |head: &[f64]| -> Vec<f64> {
        let bound = |i: usize| match pair(i) {
            other if other == i => 0.0,
            other => relative * head[i].hypot(head[other]) + F32.smallest_normal,
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

fn relative(pos: usize) -> f64 {
    std::f64::consts::SQRT_2 * 3.0 * F32.unit * pos as f64 + 4.0 * F32.unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_figure() {
        assert!((relative(32_768) - 0.008_286_646).abs() < 1e-8);
    }

    #[test]
    fn what_does_not_turn_is_exact() {
        let bound = rope(&[3.0, 4.0, 5.0], 3, 0, |i| [1, 0, 2][i]);
        assert!(bound[2] == 0.0 && (bound[0] / 5.0 - 4.4 * F32.unit).abs() < 1e-12);
        assert!((turned_norms(&[3.0, 4.0], 2)[0] - 27.5 * F32.unit).abs() < 1e-12);
    }
}
