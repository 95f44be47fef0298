//! Q5_K: `w = d * s * q - dmin * m`, 6-bit `s` and `m` per 32, the fifth bits apart.

use std::arch::x86_64::*;

use crate::cpu::avx512::panel::{Panel, Records, Rows, Sub32Min, left, nibbles, right, six_bit_header};
use crate::format::Q5_K;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn matvec(w: Matrix<'_, Q5_K>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

impl Panel for Q5_K {
    type Groups = Sub32Min;
    const OFFSET: i32 = 0;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Sub32Min>) {
        six_bit_header(rows.lanes16(at), &mut out);
        let fifth = _mm512_set1_epi8(16);
        for half in 0..2 {
            let fifths = rows.lanes16(at + 16 + 16 * half);
            for chunk in 0..4 {
                let quants = rows.lanes16(at + 48 + 32 * chunk + 16 * half);
                for (k, (q, bits)) in quants.into_iter().zip(fifths).enumerate() {
                    // Bit g of a byte belongs to the group g of 32: it becomes bit 4.
                    let bit = |g: usize| {
                        let bits = if g < 4 { left(bits, 4 - g as u32) } else { right(bits, g as u32 - 4) };
                        _mm512_and_si512(bits, fifth)
                    };
                    let [low, high] = nibbles(q);
                    out.quants(2 * chunk, 4 * half + k, _mm512_or_si512(low, bit(2 * chunk)));
                    out.quants(2 * chunk + 1, 4 * half + k, _mm512_or_si512(high, bit(2 * chunk + 1)));
                }
            }
        }
    }
}
