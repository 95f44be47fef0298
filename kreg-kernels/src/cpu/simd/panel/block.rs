//! Blocks of 32 weights in panels.
//!
//! A step is a block. Of weights it is eight vectors of codes (four inputs a lane), the scales and the minimums, if any, for
//! each half of a panel. Of an activation row it is eight words of four codes, the scale, and a word that is
//! `-offset * sum(codes)`, from which integer sums start so that an offset costs next to nothing, or
//! `scale * sum(codes)` as f32, which meets the minimums.

use super::dots::{Ints, dots, sum_planes};
use super::driver::{Arithmetic, Half, Sums, Vector};
use crate::Matrix;
use crate::cpu::portable::quantise::quantise;
use crate::cpu::simd::Simd;
use crate::cpu::simd::row::block::Block;

/// The arithmetic of a matrix of blocks.
pub(crate) struct Blocks<'w, F: Block>(pub(crate) Matrix<'w, F>);

impl<F: Block> Blocks<'_, F> {
    /// Where the scales are among the vectors of a block, for the first half; minimums follow.
    const SCALE: usize = 16 * F::CODES.planes();
}

impl<F: Block> Arithmetic for Blocks<'_, F> {
    const STEP: usize = 32;
    const WEIGHTS: usize = Self::SCALE + 2 + 2 * F::CODES.has_minimums() as usize;
    const INPUTS: usize = 10;
    const WIDTH: usize = 4;
    const FEW: usize = 1024;
    const MANY: usize = 1024;

    fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    #[inline(always)]
    fn pack<S: Simd>(_: S, x: &[f32], cols: usize, out: &mut [i32]) {
        let width = x.len() / cols;
        for (column, x) in x.chunks_exact(cols).enumerate() {
            for (x, out) in x.as_chunks::<32>().0.iter().zip(out.chunks_exact_mut(Self::INPUTS * width)) {
                let mut codes = [0_i8; 32];
                let scale = quantise(x, &mut codes);
                let sum: i32 = codes.iter().map(|&q| i32::from(q)).sum();
                let start = match F::CODES.has_minimums() {
                    true => (scale * sum as f32).to_bits().cast_signed(),
                    false => -F::CODES.panel_offset() * sum,
                };
                let words: [i32; 8] = bytemuck::cast(codes);
                let words = words.into_iter().chain([scale.to_bits().cast_signed(), start]);
                for (out, word) in out.chunks_exact_mut(width).zip(words) {
                    out[column] = word;
                }
            }
        }
    }

    #[inline(always)]
    fn unpack<S: Simd>(&self, s: S, part: &Half, out: &mut [Vector]) {
        let half = part.half;
        assert!(half < 2);
        let mut blocks: [&[F::Block]; 8] = [&[]; 8];
        for (blocks, r) in blocks.iter_mut().zip(part.rows) {
            *blocks = &self.0.row(r)[part.steps.clone()];
        }
        for (i, out) in out.chunks_exact_mut(Self::WEIGHTS).enumerate() {
            part.prefetch(s, part.steps.start + i);
            let mut planes = [[s.splat(0); 8]; 2];
            let (mut scales, mut minimums) = ([[0; 2]; 8], [[0; 2]; 8]);
            for r in 0..8 {
                let block = &blocks[r][i];
                [planes[0][r], planes[1][r]] = F::CODES.for_panel(s, F::unpack(s, block));
                scales[r] = F::scale(block);
                minimums[r] = F::minimum(block).unwrap_or_default();
            }
            for plane in 0..F::CODES.planes() {
                let columns = s.transpose(planes[plane]);
                for k in 0..8 {
                    s.store(columns[k], &mut out[16 * plane + 2 * k + half]);
                }
            }
            s.store(s.float_bits(s.halves(&scales)), &mut out[Self::SCALE + half]);
            if F::CODES.has_minimums() {
                s.store(s.float_bits(s.halves(&minimums)), &mut out[Self::SCALE + 2 + half]);
            }
        }
    }

    #[inline(always)]
    fn tile<S: Simd, const MR: usize>(s: S, w: &[Vector], x: &[i32], sums: &mut [Sums; MR]) {
        let records = w.chunks_exact(Self::WEIGHTS).zip(x.chunks_exact(Self::INPUTS * MR));
        for (w, x) in records {
            let (w, x) = (&w[..Self::WEIGHTS], &x[..Self::INPUTS * MR]);
            let (scales, starts) = (&x[8 * MR..9 * MR], &x[9 * MR..]);
            let mut planes: [Ints<S, MR>; 2] = [[[s.zero_ints(); 2]; MR]; 2];
            if F::CODES.panel_offset() != 0 {
                for (ints, start) in planes[0].iter_mut().zip(starts) {
                    *ints = [s.splat_int(*start); 2];
                }
            }
            let fold = F::CODES.fold();
            for (w, ints) in w[..Self::SCALE].as_chunks::<16>().0.iter().zip(&mut planes) {
                for (w, x) in w.chunks_exact(2 * fold).zip(x[..8 * MR].chunks_exact(fold * MR)) {
                    dots::<S, MR>(s, F::CODES, w, x, None, ints);
                }
            }
            let ints = sum_planes::<S, MR>(s, F::CODES, planes);
            for half in 0..2 {
                let scale = s.floats(bytemuck::cast_ref(&w[Self::SCALE + half]));
                for c in 0..MR {
                    let x = s.splat_float(f32::from_bits(scales[c].cast_unsigned()));
                    let sum = s.floats(bytemuck::cast_ref(&sums[c][half]));
                    let mut sum = s.mul_add(s.to_floats(ints[c][half]), s.mul(scale, x), sum);
                    if F::CODES.has_minimums() {
                        let minimum = s.floats(bytemuck::cast_ref(&w[Self::SCALE + 2 + half]));
                        let x = s.splat_float(f32::from_bits(starts[c].cast_unsigned()));
                        sum = s.mul_add(minimum, x, sum);
                    }
                    s.store(s.float_bits(sum), &mut sums[c][half]);
                }
            }
        }
    }
}
