//! Error bounds of the ops that only device backends have, composed as `kreg::kernels::reference::bound` composes its own:
//! roundings by `u`, `expf` within 2 units in the last place, sums of n terms by gamma.

use kreg::kernels::reference::bound::{self, F32, SECOND_ORDER, Undefined};

/// Relative error of `1 / (1 + exp(-t))` with `t` as given: an exponential (4 u), a sum, a quotient.
const LOGISTIC: f64 = SECOND_ORDER * 6.0 * F32.unit;

/// Every f32 as f64.
pub(crate) fn widen(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| x.into()).collect()
}

/// Of results that are a few roundings away from `y`: `relative`, one more rounding, and what subnormals lose.
fn around(y: f64, relative: f64) -> f64 {
    (relative + 2.0 * F32.unit) * y.abs() + F32.smallest_normal
}

/// `1 / (1 + exp(-t)) * x`, whose exact values are `y`.
pub(crate) fn logistic(y: &[f64]) -> Vec<f64> {
    y.iter().map(|&y| around(y, LOGISTIC)).collect()
}

/// [`bound::rmsnorm`] for each head.
pub(crate) fn per_head(x: &[f32], w: &[f32], eps: f32) -> Result<Vec<f64>, Undefined> {
    let heads: Result<Vec<_>, _> = x.chunks(w.len()).map(|x| bound::rmsnorm(x, w, eps, F32)).collect();
    Ok(heads?.concat())
}

/// [`bound::l2norm`] for each head.
pub(crate) fn l2norm(x: &[f32], head_dim: usize, eps: f32) -> Result<Vec<f64>, Undefined> {
    let heads: Result<Vec<_>, _> = x.chunks(head_dim).map(|x| bound::l2norm(x, eps, F32)).collect();
    Ok(heads?.concat())
}

/// `rmsnorm(x) * z / (1 + exp(-z))`: the norm's bound times the gate, and the gate's own.
pub(crate) fn gated(x: &[f32], z: &[f32], w: &[f32], eps: f32, y: &[f64]) -> Result<Vec<f64>, Undefined> {
    let norm = per_head(x, w, eps)?;
    let gate = widen(z).into_iter().map(|z| (z / (1.0 + (-z).exp())).abs());
    Ok(norm
        .iter()
        .zip(gate)
        .zip(y)
        .map(|((n, gate), &y)| n * gate + around(y, LOGISTIC + F32.unit))
        .collect())
}

/// silu of a sum of `taps` products: silu's slope is below 1.1.
pub(crate) fn conv1d(x: &[f32], state: &[f32], weight: &[f32], y: &[f64]) -> Result<Vec<f64>, Undefined> {
    let taps = weight.len() / x.len();
    let gamma = F32.gamma(taps)?;
    let magnitude = |c: usize| -> f64 {
        let inputs = state[c * (taps - 1)..(c + 1) * (taps - 1)].iter().chain([&x[c]]);
        inputs.zip(&weight[c * taps..]).map(|(x, w)| (f64::from(*x) * f64::from(*w)).abs()).sum()
    };
    let each = y.iter().enumerate();
    Ok(each.map(|(c, &y)| 1.1 * SECOND_ORDER * gamma * magnitude(c) + around(y, LOGISTIC)).collect())
}

/// `ln(1 + exp(alpha + bias)) * a`: the sum's rounding moves the logarithm by at most as much; exp, sum and logarithm err
/// by 8 u of it, and by u where the sum rounds beside 1.
pub(crate) fn decay(alpha: &[f32], bias: &[f32], a: &[f32], y: &[f64]) -> Vec<f64> {
    let of = |((alpha, bias), a): ((&f32, &f32), &f32)| {
        let t = (f64::from(*alpha) + f64::from(*bias)).abs();
        SECOND_ORDER * F32.unit * (t + 2.0) * f64::from(*a).abs()
    };
    let moved = alpha.iter().zip(bias).zip(a).map(of);
    moved.zip(y).map(|(moved, &y)| moved + around(y, 8.0 * F32.unit)).collect()
}

/// Inputs of one step of the delta rule.
pub(crate) struct Step<'a> {
    pub(crate) q: &'a [f32],
    pub(crate) k: &'a [f32],
    pub(crate) v: &'a [f32],
    pub(crate) beta: &'a [f32],
    pub(crate) g: &'a [f32],
    pub(crate) state: &'a [f32],
    pub(crate) key_heads: usize,
}

/// Bounds of the outputs and of the next state: `gamma` of two sums over a key, and of the few operations between, times
/// the same expressions with every term positive.
pub(crate) fn delta_rule(step: &Step<'_>) -> Result<(Vec<f64>, Vec<f64>), Undefined> {
    let (nv, dk) = (step.beta.len(), step.q.len() / step.key_heads);
    let dv = step.v.len() / nv;
    let positive = |x: &[f32]| x.iter().map(|x| f64::from(*x).abs()).collect::<Vec<f64>>();
    let (q, k, v, state) = (positive(step.q), positive(step.k), positive(step.v), positive(step.state));
    let relative = SECOND_ORDER * F32.gamma(2 * dk + 16)?;
    let (mut out, mut next) = (Vec::new(), Vec::new());
    for (row, s) in state.chunks_exact(dk).enumerate() {
        let h = row / dv;
        let head = h % step.key_heads * dk..(h % step.key_heads + 1) * dk;
        let (q, k, decay) = (&q[head.clone()], &k[head], f64::from(step.g[h]).exp());
        let read: f64 = s.iter().zip(k).map(|(s, k)| decay * s * k).sum();
        let delta = (v[row] + read) * f64::from(step.beta[h]).abs();
        let moved: Vec<f64> = s.iter().zip(k).map(|(s, k)| decay * s + k * delta).collect();
        let read: f64 = moved.iter().zip(q).map(|(s, q)| s * q).sum();
        out.push(relative * read / (dk as f64).sqrt() + F32.smallest_normal);
        next.extend(moved.iter().map(|s| relative * s + F32.smallest_normal));
    }
    Ok((out, next))
}

/// Weights of a softmax over `n` logits, renormalised over those that were chosen: two exponentials, and two sums.
pub(crate) fn route(logits: &[f32], weights: &[f64]) -> Result<Vec<f64>, Undefined> {
    let largest = widen(logits).into_iter().fold(0.0f64, |max, x| max.max(x.abs()));
    let relative = SECOND_ORDER * (2.0 * F32.gamma(logits.len())? + (8.0 + 4.0 * largest) * F32.unit);
    Ok(weights.iter().map(|&w| around(w, relative)).collect())
}
