//! Q3_K: `w = d * (s - 32) * (q - 4)`, 6-bit `s` per 16, the third bits apart.

use std::arch::x86_64::*;

use crate::cpu::avx512::panel::{Panel, Records, Rows, Sub16, f16_high, field, left, right};
use crate::format::Q3_K;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,gfni")]
pub fn matvec(w: Matrix<'_, Q3_K>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

impl Panel for Q3_K {
    type Groups = Sub16;
    const OFFSET: i32 = 4;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Sub16>) {
        let d = f16_high(rows.head16(at + 94)[3]);
        let [_, low0, low1, top] = rows.head16(at + 92);
        for (i, low) in [low0, low1, right(low0, 4), right(low1, 4)].into_iter().enumerate() {
            // Four scales: nibbles of `low`, the two bits above them in the i-th pair of bits of each byte of `top`.
            let low = _mm512_and_si512(low, _mm512_set1_epi8(15));
            let high = _mm512_and_si512(left(right(top, 2 * i as u32), 4), _mm512_set1_epi8(48));
            let scales = _mm512_or_si512(low, high);
            for j in 0..4 {
                let scale = _mm512_sub_ps(field(scales, 8 * j, 8), _mm512_set1_ps(32.0));
                let group = 4 * i + j as usize;
                out.scale(group / 2, group % 2, _mm512_mul_ps(d, scale));
            }
        }
        let (low, third) = (_mm512_set1_epi8(3), _mm512_set1_epi8(4));
        for part in 0..2 {
            let thirds = rows.lanes16(at + 16 * part);
            for half in 0..2 {
                let quants = rows.lanes16(at + 32 + 32 * half + 16 * part);
                for (k, (q, bits)) in quants.into_iter().zip(thirds).enumerate() {
                    for j in 0..4 {
                        // Bit g of a byte belongs to the group g of 32: it becomes bit 2.
                        let g = 4 * half + j;
                        let bit = if g < 2 { left(bits, 2 - g as u32) } else { right(bits, g as u32 - 2) };
                        let q = _mm512_and_si512(right(q, 2 * j as u32), low);
                        out.quants(g, 4 * part + k, _mm512_or_si512(q, _mm512_and_si512(bit, third)));
                    }
                }
            }
        }
    }
}
