//! How far a result may lie from the exact one: each error model as a bound per output, computed from the shape and the
//! inputs.
//!
//! | model | function | for |
//! |---|---|---|
//! | EM-DOT | [`dot`] | products with a weight matrix |
//! | EM-DEQ | [`exact`] | decoded weights |
//! | EM-RED | [`rmsnorm`], [`layernorm`], [`l2norm`]; [`exact`] for a maximum | norms |
//! | EM-ELEM | [`swiglu`], [`gelu`]; [`exact`] for copies and single operations | element-wise functions |
//! | EM-SMX | [`breakpoints`] | softmax |
//! | EM-ATT | [`attention`] | attention |
//! | EM-ROPE | [`rope`], [`turned_norms`] | rotary embedding |
//!
//! EM-NONDET is the bound of the deterministic form. `u` is the unit roundoff of the accumulator throughout, and sums of
//! first-order terms are enlarged by [`SECOND_ORDER`] for the products of errors that they leave out.

mod attention;
mod dot;
mod elementwise;
mod norm;
mod rope;
mod softmax;

use std::fmt;

pub use attention::attention;
pub use dot::dot;
pub use elementwise::{Builtins, gelu, swiglu};
pub use norm::{l2norm, layernorm, rmsnorm};
pub use rope::{rope, turned_norms};
pub use softmax::breakpoints;

/// Room for the products of errors where only their sum is written: every sum here is far below 0.1.
pub const SECOND_ORDER: f64 = 1.1;

/// The floating-point arithmetic of an accumulator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arithmetic {
    /// Name, as the registry spells it.
    pub name: &'static str,
    /// Unit roundoff: half the distance from 1 to the next number.
    pub unit: f64,
    /// Smallest normal number: what is lost where subnormals are flushed.
    pub smallest_normal: f64,
    /// Smallest number above zero.
    pub smallest: f64,
}

/// IEEE binary64.
pub const F64: Arithmetic = arithmetic("f64", 53, -1022);
/// IEEE binary32.
pub const F32: Arithmetic = arithmetic("f32", 24, -126);
/// IEEE binary16.
pub const F16: Arithmetic = arithmetic("f16", 11, -14);
/// The upper half of binary32.
pub const BF16: Arithmetic = arithmetic("bf16", 8, -126);

const fn arithmetic(name: &'static str, digits: i32, exponent: i32) -> Arithmetic {
    let smallest = exponent + 1 - digits;
    // An f64 cannot hold 2^-1074 as a normal number; its bits can say it.
    let smallest = if smallest < -1022 { f64::from_bits(1) } else { power(smallest) };
    Arithmetic { name, unit: power(-digits), smallest_normal: power(exponent), smallest }
}

/// `2^n` for a normal result.
const fn power(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// There is no bound: so many terms of so few digits can be off by anything. What would need it is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undefined {
    /// Number of terms.
    pub terms: usize,
    /// The accumulator.
    pub accumulator: &'static str,
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no bound holds for a sum of {} terms in {}", self.terms, self.accumulator)
    }
}

impl std::error::Error for Undefined {}

impl Arithmetic {
    /// `gamma_n = n u / (1 - n u)`: the relative bound of a sum of `n` products in any order, with or without fused
    /// multiply-add (Higham, *Accuracy and Stability of Numerical Algorithms*, 3.1).
    ///
    /// # Errors
    /// When `n u >= 1`.
    pub fn gamma(self, n: usize) -> Result<f64, Undefined> {
        let nu = n as f64 * self.unit;
        if nu < 1.0 { Ok(nu / (1.0 - nu)) } else { Err(Undefined { terms: n, accumulator: self.name }) }
    }
}

/// [`Arithmetic::gamma`] of an f32 accumulator.
///
/// # Panics
/// When it is undefined.
pub fn gamma(n: usize) -> f64 {
    F32.gamma(n).unwrap_or_else(|undefined| panic!("{undefined}"))
}

/// No error at all, for `n` outputs.
pub fn exact(n: usize) -> Vec<f64> {
    vec![0.0; n]
}

/// The distance from `y` to its neighbour in f32.
fn ulp(y: f64) -> f64 {
    (y.abs() * 2.0 * F32.unit).max(F32.smallest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(gamma(0), 0.0);
        assert!((gamma(1 << 20) - 1.0 / 15.0).abs() < 1e-15);
        assert!((gamma(1024) - 6.10e-5).abs() < 1e-7);
        assert_eq!(F16.smallest_normal * 4096.0, 0.25);
        assert_eq!((F64.smallest_normal, F64.unit), (f64::MIN_POSITIVE, f64::EPSILON / 2.0));
        assert_eq!(F32.smallest, f64::from(f32::from_bits(1)));
    }

    /// A narrow accumulator has no bound from here on; the caller refuses the kernel.
    #[test]
    fn undefined_from_one_unit_on() {
        assert!(F16.gamma(2047).is_ok() && BF16.gamma(255).is_ok() && F32.gamma((1 << 24) - 1).is_ok());
        for (arithmetic, n) in [(F16, 2048), (BF16, 256), (F32, 1 << 24)] {
            assert_eq!(
                arithmetic.gamma(n).unwrap_err(),
                Undefined { terms: n, accumulator: arithmetic.name }
            );
        }
        assert_eq!(F16.gamma(4096).unwrap_err().to_string(), "no bound holds for a sum of 4096 terms in f16");
    }
}
