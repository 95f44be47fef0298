//! IQ4_XS: `w = d * (s - 32) * v[q]`, `v` the table of IQ4_NL, a 6-bit `s` per 32.

use std::arch::x86_64::*;

use crate::cpu::avx512::panel::{Panel, Records, Rows, Sub32, f16_low, iq4_values, left, nibbles, right};
use crate::format::IQ4_XS;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
pub fn matvec(w: Matrix<'_, IQ4_XS>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

impl Panel for IQ4_XS {
    type Groups = Sub32;
    const OFFSET: i32 = 128;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Sub32>) {
        let values = iq4_values();
        let [header, low4, ..] = rows.head16(at);
        let (d, high2) = (f16_low(header), _mm512_srli_epi32::<16>(header));
        for r in 0..8 {
            let low = _mm512_and_si512(right(low4, 4 * r), _mm512_set1_epi32(15));
            let high = _mm512_and_si512(left(right(high2, 2 * r), 4), _mm512_set1_epi32(48));
            let scale = _mm512_sub_epi32(_mm512_or_si512(low, high), _mm512_set1_epi32(32));
            out.scale(r as usize, 0, _mm512_mul_ps(d, _mm512_cvtepi32_ps(scale)));
        }
        for r in 0..8 {
            for (k, q) in rows.lanes16(at + 8 + 16 * r).into_iter().enumerate() {
                let [low, high] = nibbles(q).map(|q| _mm512_shuffle_epi8(values, q));
                out.quants(r, k, low);
                out.quants(r, 4 + k, high);
            }
        }
    }
}
