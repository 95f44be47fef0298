//! Rotary position embedding: pair `i` of each head turns by `pos * theta^(-2i / head_dim)`.

use super::widen;

/// Pairs are neighbours: `(2i, 2i + 1)`.
pub fn adjacent(x: &[f32], head_dim: usize, pos: usize, theta: f32) -> Vec<f64> {
    rotate(x, head_dim, pos, theta, |i| (2 * i, 2 * i + 1))
}

/// Pairs lie half a head apart: `(i, i + head_dim / 2)`.
pub fn neox(x: &[f32], head_dim: usize, pos: usize, theta: f32) -> Vec<f64> {
    rotate(x, head_dim, pos, theta, |i| (i, i + head_dim / 2))
}

/// Pairs lie half a rotated part apart: `(j, j + n_rot / 2)` in the first `n_rot` elements of each head; the others stay.
/// The angle is `pos` for pair 0 and for the next one that of the one before times `theta^(-2 / n_rot)`, where the factor
/// and each product are rounded to f32: such angles are what models with this op are served with.
pub fn partial_neox(x: &[f32], head_dim: usize, n_rot: usize, pos: usize, theta: f32) -> Vec<f64> {
    let step = f64::from(theta).powf(-2.0 / n_rot as f64) as f32;
    let mut y = widen(x);
    for head in y.chunks_exact_mut(head_dim) {
        let mut angle = pos as f32;
        for j in 0..n_rot / 2 {
            let (sin, cos) = f64::from(angle).sin_cos();
            let (a, b) = (head[j], head[j + n_rot / 2]);
            head[j] = a * cos - b * sin;
            head[j + n_rot / 2] = a * sin + b * cos;
            angle *= step;
        }
    }
    y
}

fn rotate(
    x: &[f32],
    head_dim: usize,
    pos: usize,
    theta: f32,
    pair: impl Fn(usize) -> (usize, usize),
) -> Vec<f64> {
    let mut y = widen(x);
    for head in y.chunks_exact_mut(head_dim) {
        for i in 0..head_dim / 2 {
            let angle = pos as f64 * f64::from(theta).powf(-2.0 * i as f64 / head_dim as f64);
            let (ia, ib) = pair(i);
            let (a, b) = (head[ia], head[ib]);
            head[ia] = a * angle.cos() - b * angle.sin();
            head[ib] = a * angle.sin() + b * angle.cos();
        }
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_turns_as_a_head_of_that_width() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let got = partial_neox(&x, 6, 4, 3, 1e4);
        for (got, want) in got.iter().zip(neox(&x[..4], 4, 3, 1e4).iter().chain(&[5.0, 6.0])) {
            assert!((got - want).abs() < 1e-7, "{got} {want}");
        }
    }

    #[test]
    fn position_zero_changes_nothing_and_norms_stay() {
        let x = [1.0, 2.0, 3.0, 4.0, -1.0, 0.5, 2.0, 8.0];
        assert_eq!(neox(&x, 4, 0, 1e4), widen(&x));
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        assert!((norm(&adjacent(&x, 4, 77, 1e4)) - norm(&widen(&x))).abs() < 1e-12 * norm(&widen(&x)));
    }
}
