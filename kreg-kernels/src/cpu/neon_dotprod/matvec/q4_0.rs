//! Q4_0 on NEON with dotprod.

use crate::cpu::simd::{Dotprod, Neon, row::block};
use crate::format::Q4_0;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with `x` quantised per 32.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "neon,dotprod")]
pub fn matvec(w: Matrix<'_, Q4_0>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    block::matvec(Neon::<Dotprod>::new(), w, x, y, ws);
}
