//! Q4_0: `w = d * (q - 8)`.

use crate::cpu::avx512::panel::{Panel, Records, Rows, Whole, f16_low, nibbles};
use crate::format::Q4_0;
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, with 8-bit activations.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
pub fn matvec(w: Matrix<'_, Q4_0>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    // SAFETY: this function enables what `unpack` enables, and the level's features.
    unsafe { super::quantised(w, x, y, ws) }
}

impl Panel for Q4_0 {
    type Groups = Whole;
    const OFFSET: i32 = 8;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn unpack(rows: &Rows<'_>, at: usize, mut out: Records<'_, Whole>) {
        out.scale(0, 0, f16_low(rows.head16(at)[0]));
        for (k, q) in rows.lanes16(at + 2).into_iter().enumerate() {
            let [low, high] = nibbles(q);
            out.quants(0, k, low);
            out.quants(0, 4 + k, high);
        }
    }
}
