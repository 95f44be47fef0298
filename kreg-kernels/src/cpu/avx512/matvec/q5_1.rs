//! Q5_1: `w = d * q + m`, the fifth bits apart.

use std::arch::x86_64::*;

use crate::cpu::avx512::panel::{Panel, Records, Rows, WholeMin, f16_high, f16_low, fifth_bits, nibbles};
use crate::format::Q5_1;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
pub fn matvec(w: Matrix<'_, Q5_1>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

impl Panel for Q5_1 {
    type Groups = WholeMin;
    const OFFSET: i32 = 0;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, WholeMin>) {
        let [header, fifths, ..] = rows.head16(at);
        out.scale(0, 0, f16_low(header));
        out.min(0, 0, f16_high(header));
        for (k, q) in rows.lanes16(at + 8).into_iter().enumerate() {
            let [low, high] = nibbles(q);
            out.quants(0, k, _mm512_or_si512(low, fifth_bits(fifths, k)));
            out.quants(0, 4 + k, _mm512_or_si512(high, fifth_bits(fifths, 4 + k)));
        }
    }
}
