//! Matrix times activation rows: `y[i][r] = sum_k W[r][k] * x[i][k]`, one file per weight type.
//!
//! A file is a decoder for one block and the public function; the loops over rows, blocks and activations are in
//! `float` for types whose activations stay in f32, and in `integer` for those that quantise them.

pub(in crate::cpu) mod decode;
pub(in crate::cpu) mod float;
mod integer;
#[cfg(test)]
mod tests;

pub mod apr_q4;
pub mod apr_q8;
pub mod bf16;
pub mod f16;
pub mod f32;
pub mod iq2_s;
pub mod iq2_xxs;
pub mod iq3_s;
pub mod iq3_xxs;
pub mod iq4_nl;
pub mod iq4_xs;
pub mod q2_k;
pub mod q3_k;
pub mod q4_0;
pub mod q4_1;
pub mod q4_k;
pub mod q5_0;
pub mod q5_1;
pub mod q5_k;
pub mod q6_k;
pub mod q8_0;

/// Number of activation rows in `x`, an `[M, cols]` matrix.
///
/// # Panics
/// When the last row is incomplete.
fn rows_of(x: &[::core::primitive::f32], cols: usize) -> usize {
    assert!(x.len().is_multiple_of(cols), "x must be [M, cols]");
    x.len() / cols
}
