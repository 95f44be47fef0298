//! IQ2_XXS: `w = d * (s + 1/2) / 4 * v`, entries of eight, 7-bit sign indices and a 4-bit `s` per 32.

use std::arch::x86_64::*;

use crate::cpu::avx512::grid::{EIGHTS_OFFSET, Table, eight_values, eights, even_signs, look_up_256};
use crate::cpu::avx512::panel::{EIGHTS_ORDER, Panel, Records, Rows, Sub32, eight_planes, f16_low, odd};
use crate::cpu::codebook::iq2_xxs::{MAGNITUDES, PACKED};
use crate::format::IQ2_XXS;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,gfni")]
pub fn matvec(w: Matrix<'_, IQ2_XXS>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

pub(crate) static BOOK: [Table<256>; 2] = eights(&PACKED);
pub(crate) static VALUES: [[u8; 64]; 4] = eight_values(MAGNITUDES);

impl Panel for IQ2_XXS {
    type Groups = Sub32;
    const OFFSET: i32 = EIGHTS_OFFSET as i32;
    const ORDER: [u8; 32] = EIGHTS_ORDER;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Sub32>) {
        let d = _mm512_mul_ps(f16_low(rows.head16(at)[0]), _mm512_set1_ps(0.125));
        for pair in 0..4 {
            let [index0, signs0, index1, signs1] = rows.lanes16(at + 2 + 16 * pair);
            for (r, index, signs) in [(2 * pair, index0, signs0), (2 * pair + 1, index1, signs1)] {
                out.scale(r, 0, _mm512_mul_ps(d, odd(signs, 28)));
                let planes = eight_planes(look_up_256(&BOOK, index), even_signs(signs), &VALUES);
                for (k, plane) in planes.into_iter().enumerate() {
                    out.quants(r, k, plane);
                }
            }
        }
    }
}
