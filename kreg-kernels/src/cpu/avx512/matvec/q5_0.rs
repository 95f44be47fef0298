//! Q5_0: `w = d * (q - 16)`, the fifth bits apart.

use std::arch::x86_64::*;

use crate::cpu::avx512::panel::{Panel, Records, Rows, Whole, f16_low, fifth_bits, nibbles};
use crate::format::Q5_0;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
pub fn matvec(w: Matrix<'_, Q5_0>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

impl Panel for Q5_0 {
    type Groups = Whole;
    const OFFSET: i32 = 16;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Whole>) {
        let [header, next, ..] = rows.head16(at);
        out.scale(0, 0, f16_low(header));
        let fifths = _mm512_or_si512(_mm512_srli_epi32::<16>(header), _mm512_slli_epi32::<16>(next));
        for (k, q) in rows.lanes16(at + 6).into_iter().enumerate() {
            let [low, high] = nibbles(q);
            out.quants(0, k, _mm512_or_si512(low, fifth_bits(fifths, k)));
            out.quants(0, 4 + k, _mm512_or_si512(high, fifth_bits(fifths, 4 + k)));
        }
    }
}
