//! Q4_K: `w = d * s * q - dmin * m`, 6-bit `s` and `m` per 32. The header is one `lanes16`.

use crate::cpu::avx512::panel::{Panel, Records, Rows, Sub32Min, nibbles, six_bit_header};
use crate::format::Q4_K;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn matvec(w: Matrix<'_, Q4_K>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

impl Panel for Q4_K {
    type Groups = Sub32Min;
    const OFFSET: i32 = 0;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Sub32Min>) {
        six_bit_header(rows.lanes16(at), &mut out);
        for chunk in 0..4 {
            for half in 0..2 {
                let quants = rows.lanes16(at + 16 + 32 * chunk + 16 * half);
                for (k, q) in quants.into_iter().enumerate() {
                    let [low, high] = nibbles(q);
                    out.quants(2 * chunk, 4 * half + k, low);
                    out.quants(2 * chunk + 1, 4 * half + k, high);
                }
            }
        }
    }
}
