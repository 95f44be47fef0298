//! Q6_K: `w = d * s * (q - 32)`, 8-bit `s` per 16, the upper two bits apart.

use std::arch::x86_64::*;

use crate::cpu::avx512::panel::{Panel, Records, Rows, Sub16, f16_high, left, right, signed_byte};
use crate::format::Q6_K;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn matvec(w: Matrix<'_, Q6_K>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

impl Panel for Q6_K {
    type Groups = Sub16;
    const OFFSET: i32 = 32;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Sub16>) {
        let d = f16_high(rows.head16(at + 194)[3]);
        for (i, scales) in rows.lanes16(at + 192).into_iter().enumerate() {
            for j in 0..4 {
                let scale = _mm512_mul_ps(d, signed_byte(scales, j));
                let group = 4 * i + j as usize;
                out.scale(group / 2, group % 2, scale);
            }
        }
        let (low, high) = (_mm512_set1_epi8(15), _mm512_set1_epi8(48));
        let join = |l, h| _mm512_or_si512(_mm512_and_si512(l, low), _mm512_and_si512(h, high));
        for half in 0..2 {
            for part in 0..2 {
                let first = rows.lanes16(at + 64 * half + 16 * part);
                let second = rows.lanes16(at + 64 * half + 32 + 16 * part);
                let upper = rows.lanes16(at + 128 + 32 * half + 16 * part);
                for k in 0..4 {
                    let (a, b, h) = (first[k], second[k], upper[k]);
                    let mut quants = |j, q| out.quants(4 * half + j, 4 * part + k, q);
                    quants(0, join(a, left(h, 4)));
                    quants(1, join(b, left(h, 2)));
                    quants(2, join(right(a, 4), h));
                    quants(3, join(right(b, 4), right(h, 2)));
                }
            }
        }
    }
}
