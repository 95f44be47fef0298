//! Matrix times activation rows: `y[i][r] = sum_k W[r][k] * x[i][k]`, one file per weight type.
//!
//! A file is what the type's bits mean to the panel of the product with many activation rows, and the public function.

use super::panel::{self, Decode, Panel};
use super::row::{self, Row};
use crate::{Matrix, Workspace};

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

/// The product for a quantised type.
///
/// # Panics
/// When `x` is not `[M, cols]` or `y` not `[M, rows]`.
///
/// # Safety
/// The CPU must have the level's features and those that `F`'s [`Panel`] and [`Row`] implementations enable.
unsafe fn quantised<F: Panel + Row>(
    w: Matrix<'_, F>,
    x: &[::core::primitive::f32],
    y: &mut [::core::primitive::f32],
    ws: &mut Workspace,
) {
    if row::takes(w, x) {
        // SAFETY: the caller vouches for the features.
        return unsafe { row::matvec(w, x, y, ws) };
    }
    // SAFETY: the caller vouches for the features.
    unsafe { panel::integer(w, x, y, ws) }
}

/// The product for a type whose rows are whole blocks and become floats.
///
/// # Panics
/// When `x` is not `[M, cols]` or `y` not `[M, rows]`.
///
/// # Safety
/// The CPU must have the level's features, those that `D` and `F`'s [`Row`] enable, and AVX512-BF16 when it makes pairs.
unsafe fn float<F: Row, D: Decode>(
    decode: &D,
    w: Matrix<'_, F>,
    x: &[::core::primitive::f32],
    y: &mut [::core::primitive::f32],
    ws: &mut Workspace,
) {
    if row::takes(w, x) {
        // SAFETY: the caller vouches for the features.
        return unsafe { row::matvec(w, x, y, ws) };
    }
    let stride = w.cols() / F::ELEMS * F::BYTES;
    // SAFETY: the caller vouches for the features.
    unsafe { panel::float(decode, (w.bytes(), stride), (w.rows(), w.cols()), x, y, ws) }
}
