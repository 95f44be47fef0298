//! IQ2_S: `w = d * (s + 1/2) / 4 * v`, entries of eight, a 4-bit `s` per 16.

use std::arch::x86_64::*;

use crate::cpu::avx512::grid::{EIGHTS_OFFSET, Table, eight_values, eights, look_up_1024};
use crate::cpu::avx512::panel::{
    EIGHTS_ORDER, Panel, Records, Rows, Sub16, bits_from, eight_planes, f16_low, odd,
};
use crate::cpu::codebook::iq2_s::{MAGNITUDES, PACKED};
use crate::format::IQ2_S;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,bmi2")]
pub fn matvec(w: Matrix<'_, IQ2_S>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

pub(crate) static BOOK: [Table<1024>; 2] = eights(&PACKED);
pub(crate) static VALUES: [[u8; 64]; 4] = eight_values(MAGNITUDES);

impl Panel for IQ2_S {
    type Groups = Sub16;
    const OFFSET: i32 = EIGHTS_OFFSET as i32;
    const ORDER: [u8; 32] = EIGHTS_ORDER;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Sub16>) {
        let d = _mm512_mul_ps(f16_low(rows.head16(at)[0]), _mm512_set1_ps(0.125));
        let [upper0, upper1, scales0, scales1] = rows.lanes16(at + 66);
        for part in 0..2 {
            let (upper, scales) = if part == 0 { (upper0, scales0) } else { (upper1, scales1) };
            let indices = rows.lanes16(at + 2 + 16 * part);
            let signs = rows.lanes16(at + 34 + 16 * part);
            for (i, (index, signs)) in indices.into_iter().zip(signs).enumerate() {
                let r = 4 * part + i;
                for s in 0..2 {
                    let scale = odd(scales, 8 * i as u32 + 4 * s as u32);
                    out.scale(r, s, _mm512_mul_ps(d, scale));
                }
                // Two upper bits for each of four entries.
                let upper = bits_from(upper, 8 * i, 2);
                let masks = [1, 2].map(|bit| _mm512_test_epi8_mask(upper, _mm512_set1_epi8(bit)));
                let planes = eight_planes(look_up_1024(&BOOK, index, masks), signs, &VALUES);
                for (k, plane) in planes.into_iter().enumerate() {
                    out.quants(r, k, plane);
                }
            }
        }
    }
}
