//! F16: widened by the CPU.

use std::arch::x86_64::*;

use super::super::load::load256;
use super::float::{Acts, prepare, product};
use super::{Row, bytes, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::F16;

impl Row for F16 {
    type Acts = Acts;
    const CHUNK: usize = 64;
    const UP_TO: usize = 4;

    unsafe fn prepare(x: &[f32], acts: &mut [Acts]) {
        prepare(x, acts);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        product(bytes(w, rows), acts, |bytes: &[u8; 128]| {
            let line = |t: usize| _mm512_cvtph_ps(load256(&bytes.as_chunks::<32>().0[t]));
            [line(0), line(1), line(2), line(3)]
        })
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Acts], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share(w, acts, out) }
    }
}
