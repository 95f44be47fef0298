//! Q2_K on AVX2.

use crate::cpu::simd::{Avx2, row::superblock};
use crate::format::Q2_K;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with `x` quantised per 256.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx2,fma,f16c")]
pub fn matvec(w: Matrix<'_, Q2_K>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    superblock::matvec(Avx2::new(), w, x, y, ws);
}
