//! IQ4_NL: `w = d * v[q]`, `v` a table of sixteen values.

use std::arch::x86_64::*;

use crate::cpu::avx512::panel::{Panel, Records, Rows, Whole, f16_low, iq4_values, nibbles};
use crate::format::IQ4_NL;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
pub fn matvec(w: Matrix<'_, IQ4_NL>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

impl Panel for IQ4_NL {
    type Groups = Whole;
    const OFFSET: i32 = 128;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Whole>) {
        let values = iq4_values();
        out.scale(0, 0, f16_low(rows.head16(at)[0]));
        for (k, q) in rows.lanes16(at + 2).into_iter().enumerate() {
            let [low, high] = nibbles(q).map(|q| _mm512_shuffle_epi8(values, q));
            out.quants(0, k, low);
            out.quants(0, 4 + k, high);
        }
    }
}
