//! Q2_K: `w = d * s * q - dmin * m`, 4-bit `s` and `m` per 16.

use std::arch::x86_64::*;

use crate::cpu::avx512::panel::{
    Panel, Records, Rows, Sub16Min, byte_pairs, f16_high, f16_low, field, negated, nibbles, right,
};
use crate::format::Q2_K;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn matvec(w: Matrix<'_, Q2_K>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

impl Panel for Q2_K {
    type Groups = Sub16Min;
    const OFFSET: i32 = 0;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Sub16Min>) {
        let header = rows.head16(at + 68)[3];
        let d = f16_low(header);
        out.min_scale(negated(f16_high(header)));
        for (i, scales) in rows.lanes16(at).into_iter().enumerate() {
            let [_, mins] = nibbles(scales);
            let [first, second] = byte_pairs(mins);
            out.min_pair(2 * i, first);
            out.min_pair(2 * i + 1, second);
            for j in 0..4 {
                let scale = _mm512_mul_ps(d, field(scales, 8 * j, 4));
                let group = 4 * i + j as usize;
                out.scale(group / 2, group % 2, scale);
            }
        }
        let low = _mm512_set1_epi8(3);
        for half in 0..2 {
            for part in 0..2 {
                let quants = rows.lanes16(at + 16 + 32 * half + 16 * part);
                for (k, q) in quants.into_iter().enumerate() {
                    for j in 0..4 {
                        let q = _mm512_and_si512(right(q, 2 * j as u32), low);
                        out.quants(4 * half + j, 4 * part + k, q);
                    }
                }
            }
        }
    }
}
