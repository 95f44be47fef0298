//! APR_Q8 on NEON with dotprod.

use crate::cpu::simd::{Dotprod, Neon, row::float};
use crate::format::APR_Q8;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "neon,dotprod")]
pub fn matvec(w: Matrix<'_, APR_Q8>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    float::matvec(Neon::<Dotprod>::new(), w, x, y, ws);
}
