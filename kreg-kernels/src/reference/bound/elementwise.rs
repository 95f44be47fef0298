//! EM-ELEM: the published bounds of a backend's own functions, composed through the op, and one unit in the last place
//! for the final rounding.

use super::{F32, F64, SECOND_ORDER, ulp};
use crate::reference::{self, widen};

/// How far the functions of a backend may be off, in f32 units in the last place. A unit is at most `2 u` of the value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Builtins {
    /// Of `exp(x)`: a constant, and so many per `|x|`.
    pub exp: [f64; 2],
    /// Of a quotient; 0.5 is correct rounding.
    pub division: f64,
    /// Of `tanh`, relative, in units.
    pub tanh: f64,
}

impl Builtins {
    /// kreg's own functions on the CPU: `exp` within 2 units (its test runs over every argument), IEEE division; tanh
    /// by way of exp.
    pub const CPU: Self = Self { exp: [2.0, 0.0], division: 0.5, tanh: 4.0 };
    /// CUDA C++ Programming Guide, single-precision functions without fast-math: `expf` 2 units, `tanhf` 2, IEEE
    /// division.
    pub const CUDA: Self = Self { exp: [2.0, 0.0], division: 0.5, tanh: 2.0 };
    /// WGSL specification, accuracy of f32 expressions: `exp` 3 + 2 |x| units, division 2.5.
    pub const WGSL: Self = Self { exp: [3.0, 2.0], division: 2.5, tanh: 16.0 };

    /// Relative error of `exp(x)`.
    pub(super) fn exp_of(&self, x: f64) -> f64 {
        2.0 * F32.unit * (self.exp[0] + self.exp[1] * x.abs())
    }

    /// Relative error of `1 / (1 + exp(-t))` when `t` is off by `shift`.
    fn logistic(&self, t: f64, shift: f64) -> f64 {
        let share = 1.0 / (1.0 + t.exp()); // e^-t / (1 + e^-t)
        (self.exp_of(t) + shift) * share + F32.unit + 2.0 * F32.unit * self.division
    }
}

/// What a quotient by `1 + exp(-t)` may lose where `exp` overflows: all of it.
fn overflowed(t: f64, y: f64) -> f64 {
    if -t > f64::from(f32::MAX).ln() { y.abs() } else { 0.0 }
}

/// Bound of `g / (1 + exp(-g)) * u` per element.
pub fn swiglu(gate: &[f32], up: &[f32], builtins: &Builtins) -> Vec<f64> {
    let y = reference::swiglu(gate, up);
    let each = widen(gate).into_iter().zip(y);
    each.map(|(g, y)| {
        let relative = SECOND_ORDER * (builtins.logistic(g, 0.0) + F32.unit);
        relative * y.abs() + ulp(y) + overflowed(g, y) + F32.smallest_normal
    })
    .collect()
}

/// Bound of the tanh form of GELU per element, by way of `x / (1 + exp(-t))` with `t = 2 sqrt(2 / pi) (x + 0.044715
/// x^3)`, whose two terms have one sign: seven roundings, constants included. The definition itself loses digits in
/// `1 + tanh` where that is near 0, even in f64.
pub fn gelu(x: &[f32], builtins: &Builtins) -> Vec<f64> {
    let y = reference::gelu(x);
    let each = widen(x).into_iter().zip(y);
    each.map(|(x, y)| {
        let t = 2.0 * (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
        let relative = SECOND_ORDER * (builtins.logistic(t, 7.0 * F32.unit * t.abs()) + F32.unit);
        let definition = 4.0 * F64.unit * x.abs();
        relative * y.abs() + ulp(y) + overflowed(t, y) + F32.smallest_normal + definition
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_units_where_exp_is_small_and_more_where_it_dominates() {
        let units =
            |g: f32| swiglu(&[g], &[1.0], &Builtins::CPU)[0] / reference::swiglu(&[g], &[1.0])[0].abs();
        assert!(units(8.0) < 8.0 * F32.unit && units(-8.0) > 8.0 * F32.unit && units(-8.0) < 16.0 * F32.unit);
        assert!(
            gelu(&[-5.0], &Builtins::CPU)[0] > gelu(&[-5.0], &Builtins { exp: [0.0; 2], ..Builtins::CPU })[0]
        );
        assert!(swiglu(&[8.0], &[1.0], &Builtins::WGSL)[0] > swiglu(&[8.0], &[1.0], &Builtins::CUDA)[0]);
        // Zero may stand where exp(-g) is no f32.
        let lost = reference::swiglu(&[-89.0], &[1.0])[0].abs();
        assert!(swiglu(&[-89.0], &[1.0], &Builtins::CPU)[0] > lost);
    }
}
