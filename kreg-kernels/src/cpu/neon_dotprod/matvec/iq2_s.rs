//! IQ2_S on NEON with dotprod.

use crate::cpu::simd::{Dotprod, Neon, row::superblock};
use crate::format::IQ2_S;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with `x` quantised per 256.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "neon,dotprod")]
pub fn matvec(w: Matrix<'_, IQ2_S>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    superblock::matvec(Neon::<Dotprod>::new(), w, x, y, ws);
}
