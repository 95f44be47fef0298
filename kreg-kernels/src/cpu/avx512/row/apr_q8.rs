//! APR_Q8: bytes times one scale for the whole matrix. Rows follow its four bytes.

use std::arch::x86_64::*;

use super::super::load::load128;
use super::float::{Acts, prepare, product};
use super::{Row, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::APR_Q8;

/// The bytes of rows `rows`.
#[inline]
fn streams<const S: usize>(w: Matrix<'_, APR_Q8>, rows: [usize; S]) -> [&[u8]; S] {
    rows.map(|r| &bytemuck::cast_slice(w.blocks())[r * w.cols()..][..w.cols()])
}

/// `sums` times the scale in the header.
#[inline]
fn scaled<const S: usize>(w: Matrix<'_, APR_Q8>, sums: [f32; S]) -> [f32; S] {
    let scale = f32::from_le_bytes(*w.bytes().first_chunk().expect("a scale before the weights"));
    sums.map(|sum| scale * sum)
}

impl Row for APR_Q8 {
    type Acts = Acts;
    const CHUNK: usize = 64;
    const UP_TO: usize = 6;

    unsafe fn prepare(x: &[f32], acts: &mut [Acts]) {
        prepare(x, acts);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        let sums = product(streams(w, rows), acts, |bytes: &[u8; 64]| {
            let line =
                |t: usize| _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(load128(&bytes.as_chunks::<16>().0[t])));
            [line(0), line(1), line(2), line(3)]
        });
        scaled(w, sums)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Acts], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share(w, acts, out) }
    }
}
