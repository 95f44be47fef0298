//! BF16 on NEON.

use crate::cpu::simd::{Neon, Plain, row::float};
use crate::format::BF16;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "neon")]
pub fn matvec(w: Matrix<'_, BF16>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    float::matvec(Neon::<Plain>::new(), w, x, y, ws);
}
