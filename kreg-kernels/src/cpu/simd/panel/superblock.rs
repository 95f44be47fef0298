//! Blocks of 256 weights in panels.
//!
//! A step is a block. Vectors of weights, for each half of a panel:
//!
//! | number | what |
//! |---|---|
//! | 64 per plane | codes, four inputs a lane |
//! | 8 per group of a 32 | scales, twice as words |
//! | 4 per group of a 32 | pairs of words: of minimums, or of scales, which the offset of codes is to be taken off by |
//! | 1 or 2 | factors of scales and of minimums, f32 |
//!
//! An activation row has 64 words of four codes, the sums of two groups in a word to meet the pairs, and its scale. All but
//! the factors is integer arithmetic, and exact.

use super::dots::{Ints, dots, sum_planes};
use super::driver::{Arithmetic, Half, Sums, Vector};
use crate::Matrix;
use crate::cpu::portable::quantise::quantise;
use crate::cpu::simd::row::superblock::{self, SuperBlock};
use crate::cpu::simd::{Codes, Simd};

/// The arithmetic of a matrix of blocks.
pub(crate) struct SuperBlocks<'w, F: SuperBlock>(pub(crate) Matrix<'w, F>);

impl<F: SuperBlock> SuperBlocks<'_, F> {
    /// Groups of 32 weights.
    const SUBS: usize = 32 / F::GROUP;
    /// Pairs of groups of a block, where there is something to take off or to add per group.
    const PAIRS: usize = match F::CODES {
        Codes::Signed { .. } if F::CODES.panel_offset() == 0 => 0,
        _ => 4 * Self::SUBS,
    };
    /// Where scales, pairs and factors start in the vectors of a block, for the first half.
    const SCALES: usize = 2 * 64 * F::CODES.planes();
    const PAIRED: usize = Self::SCALES + 2 * 8 * Self::SUBS;
    const FACTORS: usize = Self::PAIRED + 2 * Self::PAIRS;
}

/// Byte indices that put the lower word of each dword in both its words, and the upper one.
const TWICE: [[u8; 16]; 2] = [
    [0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13],
    [2, 3, 2, 3, 6, 7, 6, 7, 10, 11, 10, 11, 14, 15, 14, 15],
];

impl<F: SuperBlock> Arithmetic for SuperBlocks<'_, F> {
    const STEP: usize = 256;
    const WEIGHTS: usize = Self::FACTORS + 2 + 2 * F::CODES.has_minimums() as usize;
    const INPUTS: usize = 64 + Self::PAIRS + 1;
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
            for (x, out) in x.as_chunks::<256>().0.iter().zip(out.chunks_exact_mut(Self::INPUTS * width)) {
                let mut codes = [[0_i8; 32]; 8];
                let scale = quantise(x, codes.as_flattened_mut());
                let mut sums = superblock::sums(&codes);
                if Self::SUBS == 1 {
                    for t in 0..8 {
                        sums[t] += sums[8 + t];
                    }
                }
                let (words, pairs): ([i32; 64], [i32; 8]) = (bytemuck::cast(codes), bytemuck::cast(sums));
                let words = words.iter().chain(&pairs[..Self::PAIRS]).copied();
                let words = words.chain([scale.to_bits().cast_signed()]);
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
            let (mut scales, mut minimums) = ([s.splat(0); 8], [s.splat(0); 8]);
            let (mut factors, mut minimum_factors) = ([[0; 2]; 8], [[0; 2]; 8]);
            for r in 0..8 {
                let block = &blocks[r][i];
                let unpacked = F::unpack(s, block);
                for t in 0..8 {
                    let planes = F::CODES.for_panel(s, unpacked[t]);
                    for plane in 0..F::CODES.planes() {
                        s.store(planes[plane], &mut out[2 * (64 * plane + 8 * t + r) + half]);
                    }
                }
                let (words, minimum) = F::scales(s, block);
                (scales[r], factors[r]) = (words, F::factor(block));
                if let Some(minimum) = minimum {
                    (minimums[r], minimum_factors[r]) = (minimum.words, minimum.factor);
                }
            }
            // Where they lie: 64 vectors are more than any level has registers.
            for codes in out[..Self::SCALES].as_chunks_mut::<16>().0 {
                let mut rows = [s.splat(0); 8];
                for r in 0..8 {
                    rows[r] = s.load(&codes[2 * r + half]);
                }
                let columns = s.transpose(rows);
                for k in 0..8 {
                    s.store(columns[k], &mut codes[2 * k + half]);
                }
            }
            let scales = s.transpose(scales);
            for g in 0..8 * Self::SUBS {
                let twice = s.shuffle(scales[g / 2], s.twice(&TWICE[g % 2]));
                s.store(twice, &mut out[Self::SCALES + 2 * g + half]);
            }
            let pairs = if F::CODES.has_minimums() { s.transpose(minimums) } else { scales };
            for p in 0..Self::PAIRS {
                s.store(pairs[p], &mut out[Self::PAIRED + 2 * p + half]);
            }
            let factor = s.mul(s.halves(&factors), s.splat_float(F::UNIT));
            s.store(s.float_bits(factor), &mut out[Self::FACTORS + half]);
            if F::CODES.has_minimums() {
                let factor = s.mul(s.halves(&minimum_factors), s.splat_float(-1.0));
                s.store(s.float_bits(factor), &mut out[Self::FACTORS + 2 + half]);
            }
        }
    }

    #[inline(always)]
    fn tile<S: Simd, const MR: usize>(s: S, w: &[Vector], x: &[i32], sums: &mut [Sums; MR]) {
        let records = w.chunks_exact(Self::WEIGHTS).zip(x.chunks_exact(Self::INPUTS * MR));
        for (w, x) in records {
            let (w, x) = (&w[..Self::WEIGHTS], &x[..Self::INPUTS * MR]);
            let mut planes: [Ints<S, MR>; 2] = [[[s.zero_ints(); 2]; MR]; 2];
            let (steps, fold) = (F::GROUP / 4, F::CODES.fold().min(F::GROUP / 4));
            for i in 0..64 / fold {
                // Codes in order of k; scales are those of first halves of 32, then of second ones.
                let g = i * fold / steps;
                let scale = &w[Self::SCALES + 2 * (8 * (g % Self::SUBS) + g / Self::SUBS)..][..2];
                let scale = Some([s.load(&scale[0]), s.load(&scale[1])]);
                let x = &x[fold * MR * i..][..fold * MR];
                for plane in 0..F::CODES.planes() {
                    let w = &w[2 * (64 * plane + fold * i)..][..2 * fold];
                    dots::<S, MR>(s, F::CODES, w, x, scale, &mut planes[plane]);
                }
            }
            let ints = sum_planes::<S, MR>(s, F::CODES, planes);
            let paired =
                paired::<S, MR>(s, &w[Self::PAIRED..Self::FACTORS], &x[64 * MR..][..Self::PAIRS * MR]);
            let offset = s.splat_int(-F::CODES.panel_offset());
            let scales = &x[(64 + Self::PAIRS) * MR..];
            for half in 0..2 {
                for c in 0..MR {
                    let x = s.splat_float(f32::from_bits(scales[c].cast_unsigned()));
                    let mut dots = ints[c][half];
                    if F::CODES.panel_offset() != 0 {
                        dots = s.add_ints(dots, s.mul_ints(paired[c][half], offset));
                    }
                    let factor = s.floats(bytemuck::cast_ref(&w[Self::FACTORS + half]));
                    let sum = s.floats(bytemuck::cast_ref(&sums[c][half]));
                    let mut sum = s.mul_add(s.to_floats(dots), s.mul(factor, x), sum);
                    if F::CODES.has_minimums() {
                        let factor = s.floats(bytemuck::cast_ref(&w[Self::FACTORS + 2 + half]));
                        sum = s.mul_add(s.to_floats(paired[c][half]), s.mul(factor, x), sum);
                    }
                    s.store(s.float_bits(sum), &mut sums[c][half]);
                }
            }
        }
    }
}

/// The products of pairs of words and of sums of activations.
#[inline(always)]
fn paired<S: Simd, const MR: usize>(s: S, w: &[Vector], x: &[i32]) -> Ints<S, MR> {
    let mut ints: Ints<S, MR> = [[s.zero_ints(); 2]; MR];
    for (w, x) in w.chunks_exact(2).zip(x.chunks_exact(MR)) {
        let w = [s.load(&w[0]), s.load(&w[1])];
        for (ints, x) in ints.iter_mut().zip(x) {
            let x = s.splat_word(*x);
            for (ints, w) in ints.iter_mut().zip(w) {
                *ints = s.add_ints(*ints, s.multiply_words(w, x));
            }
        }
    }
    ints
}
