//! BF16: the upper halves of f32 values, so a register of them is two: the odd ones masked, the even ones shifted.
//! Activations are rounded to bf16, as `vdpbf16ps` takes them where there are many, and laid out the same way.

use std::arch::x86_64::*;

use half::bf16;

use super::super::load::load512;
use super::float::{Acts, prepare, product};
use super::{Row, bytes, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::BF16;

/// `x` to the nearest bf16, halves to even; subnormal numbers to zero.
fn rounded(x: f32) -> f32 {
    let x = bf16::from_f32(x).to_f32();
    if x.is_subnormal() { 0.0 } else { x }
}

impl Row for BF16 {
    type Acts = Acts;
    const CHUNK: usize = 64;

    unsafe fn prepare(x: &[f32], acts: &mut [Acts]) {
        prepare(x, acts);
        for lines in acts.as_flattened_mut().as_chunks_mut::<2>().0 {
            let pairs: [[f32; 2]; 16] = bytemuck::cast(*lines);
            *lines = [pairs.map(|[even, _]| rounded(even)), pairs.map(|[_, odd]| rounded(odd))];
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        let odd = _mm512_set1_epi32(-1 << 16);
        product(bytes(w, rows), acts, |bytes: &[u8; 128]| {
            let [w0, w1] = bytemuck::cast_ref::<_, [[u8; 64]; 2]>(bytes);
            let (w0, w1) = (load512(w0), load512(w1));
            [
                _mm512_castsi512_ps(_mm512_slli_epi32::<16>(w0)),
                _mm512_castsi512_ps(_mm512_and_si512(w0, odd)),
                _mm512_castsi512_ps(_mm512_slli_epi32::<16>(w1)),
                _mm512_castsi512_ps(_mm512_and_si512(w1, odd)),
            ]
        })
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Acts], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share(w, acts, out) }
    }
}
