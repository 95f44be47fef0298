//! F16 on AVX2.

use crate::cpu::simd::{Avx2, row::float};
use crate::format::F16;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx2,fma,f16c")]
pub fn matvec(w: Matrix<'_, F16>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    float::matvec(Avx2::new(), w, x, y, ws);
}
