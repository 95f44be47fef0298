//! Q8_0: `w = d * q`. Flipping the top bit of a signed byte adds 128 to it.

use std::arch::x86_64::*;

use crate::cpu::avx512::panel::{Panel, Records, Rows, Whole, f16_low};
use crate::format::Q8_0;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn matvec(w: Matrix<'_, Q8_0>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

impl Panel for Q8_0 {
    type Groups = Whole;
    const OFFSET: i32 = 128;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Whole>) {
        let top = _mm512_set1_epi8(i8::MIN);
        out.scale(0, 0, f16_low(rows.head16(at)[0]));
        for half in 0..2 {
            for (k, q) in rows.lanes16(at + 2 + 16 * half).into_iter().enumerate() {
                out.quants(0, 4 * half + k, _mm512_xor_si512(q, top));
            }
        }
    }
}
