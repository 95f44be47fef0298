//! F16: widened by the CPU.

use std::arch::x86_64::*;

use super::super::load::load256;
use super::Row;
use super::float::{self, Lanes};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::F16;

impl Row for F16 {
    type Acts = [f32; 16];
    const CHUNK: usize = 16;
    const UP_TO: usize = 16;
    const TOGETHER: usize = float::TOGETHER;

    fn acts(cols: usize) -> usize {
        float::acts(cols, Self::CHUNK)
    }

    unsafe fn prepare(x: &[f32], acts: &mut [[f32; 16]]) {
        float::prepare(x, acts);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[[f32; 16]], out: Columns<'_>) {
        // SAFETY: this function has the features of `Lanes`.
        unsafe { float::share(w, acts, out) }
    }
}

impl Lanes for F16 {
    const AHEAD: usize = 512;
    type Line = [u8; 32];

    #[inline]
    fn stream(w: Matrix<'_, Self>, r: usize) -> &[u8] {
        bytemuck::cast_slice(w.row(r))
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn weights(line: &[u8; 32]) -> __m512i {
        _mm512_castps_si512(_mm512_cvtph_ps(load256(line)))
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn add(weights: __m512i, x: &[f32; 16], sum: __m512) -> __m512 {
        float::multiply_add(weights, x, sum)
    }
}
