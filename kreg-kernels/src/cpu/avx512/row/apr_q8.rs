//! APR_Q8: bytes times one scale for the whole matrix. Rows follow its four bytes.

use std::arch::x86_64::*;

use super::super::load::load128;
use super::Row;
use super::float::{self, Lanes};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::APR_Q8;

impl Row for APR_Q8 {
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

impl Lanes for APR_Q8 {
    const AHEAD: usize = 512;
    type Line = [u8; 16];

    #[inline]
    fn stream(w: Matrix<'_, Self>, r: usize) -> &[u8] {
        &bytemuck::cast_slice(w.blocks())[r * w.cols()..][..w.cols()]
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn weights(line: &[u8; 16]) -> __m512i {
        _mm512_castps_si512(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(load128(line))))
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn add(weights: __m512i, x: &[f32; 16], sum: __m512) -> __m512 {
        float::multiply_add(weights, x, sum)
    }

    /// `total` times the scale in the header.
    #[inline]
    fn finish(w: Matrix<'_, Self>, total: f32) -> f32 {
        total * f32::from_le_bytes(*w.bytes().first_chunk().expect("a scale before the weights"))
    }
}
