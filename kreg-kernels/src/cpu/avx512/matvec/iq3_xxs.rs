//! IQ3_XXS: `w = d * (s + 1/2) / 2 * v`, entries of four, 7-bit sign indices and a 4-bit `s` per 32.

use std::arch::x86_64::*;

use crate::cpu::avx512::grid::{QUADS_OFFSET, Table, even_signs, look_up_256, quad_values, quads};
use crate::cpu::avx512::panel::{
    Panel, QUADS_ORDER, Records, Rows, Sub32, bits_from, f16_low, odd, quad_planes,
};
use crate::cpu::codebook::iq3_xxs::{MAGNITUDES, PACKED};
use crate::format::IQ3_XXS;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,gfni")]
pub fn matvec(w: Matrix<'_, IQ3_XXS>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

pub(crate) static BOOK: [Table<256>; 2] = quads(&PACKED);
pub(crate) static VALUES: [[u8; 64]; 3] = quad_values(MAGNITUDES);

impl Panel for IQ3_XXS {
    type Groups = Sub32;
    const OFFSET: i32 = QUADS_OFFSET as i32;
    const ORDER: [u8; 32] = QUADS_ORDER;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Sub32>) {
        let d = _mm512_mul_ps(f16_low(rows.head16(at)[0]), _mm512_set1_ps(0.25));
        let signs = [rows.lanes16(at + 66), rows.lanes16(at + 82)];
        for r in 0..8 {
            out.scale(r, 0, _mm512_mul_ps(d, odd(signs[r / 4][r % 4], 28)));
        }
        for part in 0..4 {
            for (i, index) in rows.lanes16(at + 2 + 16 * part).into_iter().enumerate() {
                let (r, half) = (2 * part + i / 2, i % 2);
                let signs = bits_from(even_signs(signs[r / 4][r % 4]), 16 * half, 4);
                let planes = quad_planes(look_up_256(&BOOK, index), signs, &VALUES);
                for (k, plane) in planes.into_iter().enumerate() {
                    out.quants(r, 4 * half + k, plane);
                }
            }
        }
    }
}
