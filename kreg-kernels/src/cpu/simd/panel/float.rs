//! The f32 microkernel, and the types whose weights become floats.
//!
//! A step is 32 inputs: for each of them the weights of a panel, two vectors of eight rows, and a word of each activation
//! row.

use super::driver::{Arithmetic, Half, Sums, Vector};
use crate::Matrix;
use crate::cpu::simd::Simd;
use crate::cpu::simd::row::float::{Float, STEP, weights};

/// The arithmetic of a matrix whose weights become floats.
pub(crate) struct Floats<'w, F: Float>(pub(crate) Matrix<'w, F>);

impl<F: Float> Arithmetic for Floats<'_, F> {
    const STEP: usize = STEP;
    const WEIGHTS: usize = 2 * STEP;
    const INPUTS: usize = STEP;
    const WIDTH: usize = 6;
    const FEW: usize = 256;
    const MANY: usize = 512;

    fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    #[inline(always)]
    fn pack<S: Simd>(_: S, x: &[f32], cols: usize, out: &mut [i32]) {
        let width = x.len() / cols;
        for (column, x) in x.chunks_exact(cols).enumerate() {
            for (x, out) in x.chunks(STEP).zip(out.chunks_exact_mut(STEP * width)) {
                let words = x.iter().copied().chain(std::iter::repeat(0.0));
                for (out, word) in out.chunks_exact_mut(width).zip(words) {
                    out[column] = word.to_bits().cast_signed();
                }
            }
        }
    }

    #[inline(always)]
    fn unpack<S: Simd>(&self, s: S, part: &Half, out: &mut [Vector]) {
        let scale = F::scale(self.0);
        assert!(part.half < 2);
        for (step, out) in part.steps.clone().zip(out.chunks_exact_mut(Self::WEIGHTS)) {
            part.prefetch(s, step);
            let mut eights = [[s.splat(0); 8]; 4];
            for (r, row) in part.rows.iter().enumerate() {
                let weights = weights(s, self.0, scale, *row, step);
                for (eight, weights) in eights.iter_mut().zip(weights) {
                    eight[r] = s.float_bits(weights);
                }
            }
            for (i, eight) in eights.iter().enumerate() {
                let columns = s.transpose(*eight);
                for k in 0..8 {
                    s.store(columns[k], &mut out[2 * (8 * i + k) + part.half]);
                }
            }
        }
    }

    #[inline(always)]
    fn tile<S: Simd, const MR: usize>(s: S, w: &[Vector], x: &[i32], sums: &mut [Sums; MR]) {
        let mut f = [[s.splat_float(0.0); 2]; MR];
        for (f, sums) in f.iter_mut().zip(&*sums) {
            *f = [s.floats(bytemuck::cast_ref(&sums[0])), s.floats(bytemuck::cast_ref(&sums[1]))];
        }
        for (w, x) in w.as_chunks::<2>().0.iter().zip(x.as_chunks::<MR>().0) {
            let w = [s.floats(bytemuck::cast_ref(&w[0])), s.floats(bytemuck::cast_ref(&w[1]))];
            for (f, x) in f.iter_mut().zip(x) {
                let x = s.splat_float(f32::from_bits(x.cast_unsigned()));
                *f = [s.mul_add(w[0], x, f[0]), s.mul_add(w[1], x, f[1])];
            }
        }
        for (f, sums) in f.into_iter().zip(sums) {
            s.store(s.float_bits(f[0]), &mut sums[0]);
            s.store(s.float_bits(f[1]), &mut sums[1]);
        }
    }
}
