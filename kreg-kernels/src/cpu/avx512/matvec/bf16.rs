//! BF16: a transposed dword is the pair that `vdpbf16ps` takes.

use std::arch::x86_64::*;

use crate::cpu::avx512::panel::{Decode, Rows};
use crate::format::BF16;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, rounded to bf16 first (halves to even, subnormal values to zero). Products
/// are summed in f32; subnormal weights and sums count as zero too.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512bf16")]
pub fn matvec(w: Matrix<'_, BF16>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: with AVX512-BF16 for the pairs, this function enables what `decode` enables, and the level's features.
    unsafe { super::float(&BF16, w, x, y, ws) }
}

impl Decode for BF16 {
    const PAIRS: bool = true;
    const STEP: usize = 8;
    const BYTES: usize = 16;

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn decode(&self, rows: &Rows<'_>, step: usize, out: &mut [__m512i]) {
        out.copy_from_slice(&rows.lanes16(16 * step));
    }
}
