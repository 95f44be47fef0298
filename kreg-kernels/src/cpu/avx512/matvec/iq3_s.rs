//! IQ3_S: `w = d * (2 s + 1) * v`, entries of four, a 4-bit `s` per 32.

use std::arch::x86_64::*;

use crate::cpu::avx512::grid::{QUADS_OFFSET, Table, look_up_512, quad_values, quads};
use crate::cpu::avx512::panel::{
    Panel, QUADS_ORDER, Records, Rows, Sub32, bits_from, f16_low, odd, quad_planes,
};
use crate::cpu::codebook::iq3_s::{MAGNITUDES, PACKED};
use crate::format::IQ3_S;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
pub fn matvec(w: Matrix<'_, IQ3_S>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

pub(crate) static BOOK: [Table<512>; 2] = quads(&PACKED);
pub(crate) static VALUES: [[u8; 64]; 3] = quad_values(MAGNITUDES);

impl Panel for IQ3_S {
    type Groups = Sub32;
    const OFFSET: i32 = QUADS_OFFSET as i32;
    const ORDER: [u8; 32] = QUADS_ORDER;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Sub32>) {
        let d = f16_low(rows.head16(at)[0]);
        let scales = rows.head16(at + 94)[3];
        for r in 0..8 {
            out.scale(r, 0, _mm512_mul_ps(d, odd(scales, 4 * r as u32)));
        }
        let [ninths0, ninths1, ..] = rows.head16(at + 66);
        let signs = [rows.lanes16(at + 74), rows.lanes16(at + 90)];
        for part in 0..4 {
            let ninths = if part < 2 { ninths0 } else { ninths1 };
            for (i, index) in rows.lanes16(at + 2 + 16 * part).into_iter().enumerate() {
                let (r, half) = (2 * part + i / 2, i % 2);
                let ninths = bits_from(ninths, 8 * (r % 4) + 4 * half, 1);
                let ninths = _mm512_test_epi8_mask(ninths, _mm512_set1_epi8(1));
                let signs = bits_from(signs[r / 4][r % 4], 16 * half, 4);
                let planes = quad_planes(look_up_512(&BOOK, index, ninths), signs, &VALUES);
                for (k, plane) in planes.into_iter().enumerate() {
                    out.quants(r, 4 * half + k, plane);
                }
            }
        }
    }
}
