//! F32: a transposed dword is a weight.

use std::arch::x86_64::*;

use crate::cpu::avx512::panel::{Decode, Rows};
use crate::format::F32;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn matvec(w: Matrix<'_, F32>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `decode` enables, and the level's features.
    unsafe { super::float(&F32, w, x, y, ws) }
}

impl Decode for F32 {
    const STEP: usize = 4;
    const BYTES: usize = 16;

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn decode(&self, rows: &Rows<'_>, step: usize, out: &mut [__m512i]) {
        out.copy_from_slice(&rows.lanes16(16 * step));
    }
}
