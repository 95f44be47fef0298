//! F32: weights as they are.

use std::arch::x86_64::*;

use super::super::load::load512;
use super::float::{Acts, prepare, product};
use super::{Row, bytes, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::F32;

impl Row for F32 {
    type Acts = Acts;
    const CHUNK: usize = 64;
    const UP_TO: usize = 4;

    unsafe fn prepare(x: &[f32], acts: &mut [Acts]) {
        prepare(x, acts);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        product(bytes(w, rows), acts, |bytes: &[u8; 256]| {
            let line = |t: usize| _mm512_castsi512_ps(load512(&bytes.as_chunks::<64>().0[t]));
            [line(0), line(1), line(2), line(3)]
        })
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Acts], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share(w, acts, out) }
    }
}
