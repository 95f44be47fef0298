//! APR_Q8: `w = d * q`, one f32 `d` before the bytes of the whole matrix.

use std::arch::x86_64::*;

use crate::cpu::avx512::panel::{self, Decode, Rows, signed_byte};
use crate::cpu::avx512::row;
use crate::format::APR_Q8;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn matvec(w: Matrix<'_, APR_Q8>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    if row::takes(w, x) {
        // SAFETY: this function enables what `Row` enables.
        return unsafe { row::matvec(w, x, y, ws) };
    }
    let (scale, data) = w.bytes().split_first_chunk().expect("a header of four bytes");
    let shape = (w.rows(), w.cols());
    // SAFETY: this function enables what `decode` enables, and the level's features.
    unsafe { panel::float(&Scaled(f32::from_le_bytes(*scale)), (data, w.cols()), shape, x, y, ws) }
}

/// Bytes times this scale.
struct Scaled(f32);

impl Decode for Scaled {
    const STEP: usize = 16;
    const BYTES: usize = 16;

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn decode(&self, rows: &Rows<'_>, step: usize, out: &mut [__m512i]) {
        let scale = _mm512_set1_ps(self.0);
        for (q, out) in rows.lanes16(16 * step).into_iter().zip(out.as_chunks_mut::<4>().0) {
            for (j, out) in out.iter_mut().enumerate() {
                *out = _mm512_castps_si512(_mm512_mul_ps(signed_byte(q, j as u32), scale));
            }
        }
    }
}
