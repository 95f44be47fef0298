//! F16: a transposed dword is two weights.

use std::arch::x86_64::*;

use crate::cpu::avx512::panel::{Decode, Rows, f16_high, f16_low};
use crate::format::F16;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn matvec(w: Matrix<'_, F16>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `decode` enables, and the level's features.
    unsafe { super::float(&F16, w, x, y, ws) }
}

impl Decode for F16 {
    const STEP: usize = 8;
    const BYTES: usize = 16;

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn decode(&self, rows: &Rows<'_>, step: usize, out: &mut [__m512i]) {
        for (pair, out) in rows.lanes16(16 * step).into_iter().zip(out.as_chunks_mut().0) {
            *out = [f16_low(pair), f16_high(pair)].map(|v| _mm512_castps_si512(v));
        }
    }
}
