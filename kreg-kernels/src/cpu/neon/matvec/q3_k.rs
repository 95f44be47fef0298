//! Q3_K on NEON.

use crate::cpu::simd::{Neon, Plain, row::superblock};
use crate::format::Q3_K;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with `x` quantised per 256.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "neon")]
pub fn matvec(w: Matrix<'_, Q3_K>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    superblock::matvec(Neon::<Plain>::new(), w, x, y, ws);
}
