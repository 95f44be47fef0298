//! BF16: a register is 32 weights, in pairs as `vdpbf16ps` takes them. Activations are rounded to bf16 as it needs them, and stay
//! so: half the bytes leave more of L1 to the weights.

use std::arch::x86_64::*;

use half::bf16;

use super::super::load::load512;
use super::Row;
use super::float::{self, Lanes};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::BF16;

/// `x` to the nearest bf16, halves to even; subnormal numbers to zero.
fn rounded(x: f32) -> bf16 {
    let x = bf16::from_f32(x);
    if x.to_f32().is_subnormal() { bf16::ZERO } else { x }
}

/// A register as pairs of bf16.
#[target_feature(enable = "avx512f")]
#[inline]
fn pairs(v: __m512i) -> __m512bh {
    // SAFETY: both are 64 bytes, and any bytes are bf16 values.
    unsafe { std::mem::transmute(v) }
}

impl Row for BF16 {
    /// 32 activations as pairs of bf16, zeros past the end of the row.
    type Acts = [u32; 16];
    const CHUNK: usize = 32;
    const UP_TO: usize = 16;
    const TOGETHER: usize = float::TOGETHER;

    fn acts(cols: usize) -> usize {
        float::acts(cols, Self::CHUNK)
    }

    unsafe fn prepare(x: &[f32], acts: &mut [[u32; 16]]) {
        let upper = |x: f32| u32::from(rounded(x).to_bits());
        let pairs = acts.as_flattened_mut();
        pairs.fill(0);
        for (pair, x) in pairs.iter_mut().zip(x.chunks(2)) {
            *pair = upper(x[0]) | x.get(1).map_or(0, |&x| upper(x)) << 16;
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bf16")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[[u32; 16]], out: Columns<'_>) {
        // SAFETY: this function has the features of `Lanes`.
        unsafe { float::share(w, acts, out) }
    }
}

impl Lanes for BF16 {
    const AHEAD: usize = 512;
    type Line = [u8; 64];

    #[inline]
    fn stream(w: Matrix<'_, Self>, r: usize) -> &[u8] {
        bytemuck::cast_slice(w.row(r))
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn weights(line: &[u8; 64]) -> __m512i {
        load512(line)
    }

    #[target_feature(enable = "avx512f,avx512bf16")]
    #[inline]
    unsafe fn add(weights: __m512i, x: &[u32; 16], sum: __m512) -> __m512 {
        _mm512_dpbf16_ps(sum, pairs(weights), pairs(load512(x)))
    }
}
