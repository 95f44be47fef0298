//! Blocks of 256 weights with an f16 scale and a small integer scale per 16 or 32 of them, against 256 activations with
//! one f32 scale. The integer scales are applied to integer sums: floats come in once a block.

use std::marker::PhantomData;

use bytemuck::{Pod, Zeroable};

use super::Product;
use crate::cpu::portable::quantise::quantise;
use crate::cpu::simd::{Codes, Simd, panel};
use crate::format::Format;
use crate::{Matrix, Workspace};

/// A type of blocks of 256 weights `d * scale * code` or `d * scale * code - dmin * minimum`.
pub(crate) trait SuperBlock: Format {
    /// What the codes are.
    const CODES: Codes;
    /// How many weights share a scale: 16 or 32.
    const GROUP: usize;

    /// The activation rows up to which they meet a weight row together instead of a panel, as measured.
    const UP_TO: usize = super::UP_TO;

    /// The codes in order. To be marked `#[inline(always)]`.
    fn unpack<S: Simd>(s: S, block: &Self::Block) -> [S::Bytes; 8];

    /// The f16 factor of the scales and what it is to be multiplied by.
    fn factor(block: &Self::Block) -> [u8; 2];

    /// Words: in the lower half the scales of weights `32 t` to `32 t + 16` for `t` in `0..8`, in the upper half those
    /// of `32 t + 16` to `32 t + 32`; and the minimums, where codes are unsigned. To be marked `#[inline(always)]`.
    fn scales<S: Simd>(s: S, block: &Self::Block) -> (S::Bytes, Option<Minimums<S>>);

    /// A power of two by which the scales are too large.
    const UNIT: f32 = 1.0;
}

/// Minimums of a block.
pub(crate) struct Minimums<S: Simd> {
    /// one word per 16 weights, in the order of the scales
    pub(in crate::cpu::simd) words: S::Bytes,
    /// their f16 factor
    pub(in crate::cpu::simd) factor: [u8; 2],
}

/// `y = W x` for each activation row of `x`, with `x` quantised per 256.
///
/// # Panics
/// When `x` is not `[M, cols]` or `y` not `[M, rows]`.
#[inline(always)]
pub(crate) fn matvec<S: Simd, F: SuperBlock>(
    s: S,
    w: Matrix<'_, F>,
    x: &[f32],
    y: &mut [f32],
    ws: &mut Workspace,
) {
    if super::takes(w, x, F::UP_TO) {
        return super::matvec::<S, SuperBlocks<F>>(s, w, x, y, ws);
    }
    panel::matvec(s, &panel::SuperBlocks(w), (w.rows(), w.cols()), x, y, ws);
}

/// Activations for one block.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Acts {
    codes: [[i8; 32]; 8],
    /// see [`Codes::start`]
    start: [[i16; 16]; 8],
    /// the sum of each 16 codes, in the order of the scales
    sums: [i16; 16],
    scale: f32,
    pad: [u8; 28],
}

const _: () = assert!(size_of::<Acts>() == 256 + 256 + 32 + 4 + 28);
// SAFETY: integers and floats without padding (the size is asserted): every bit pattern is valid.
unsafe impl Zeroable for Acts {}
// SAFETY: as above; `Copy`, `'static`, no interior mutability, no pointers.
unsafe impl Pod for Acts {}

/// The product of the blocks of `F`.
struct SuperBlocks<F>(PhantomData<F>);

/// Word `t` of both halves of 16 bytes, eight times.
static EVERYWHERE: [[u8; 32]; 8] = {
    let mut index = [[0; 32]; 8];
    let mut i = 0;
    while i < 256 {
        index[i / 32][i % 32] = (i / 32 * 2 + i % 2) as u8;
        i += 1;
    }
    index
};

impl<F: SuperBlock> Product for SuperBlocks<F> {
    type Format = F;
    type Acts = Acts;
    type Tables = [[u8; 32]; 8];

    const TABLES: &'static [[u8; 32]; 8] = &EVERYWHERE;

    #[inline(always)]
    fn prepare(x: &[f32], acts: &mut Acts) {
        acts.scale = quantise(x, acts.codes.as_flattened_mut());
        for (start, codes) in acts.start.iter_mut().zip(&acts.codes) {
            *start = F::CODES.start(codes);
        }
        acts.sums = sums(&acts.codes);
    }

    #[inline(always)]
    fn add<S: Simd, const A: usize>(
        s: S,
        everywhere: &[[u8; 32]; 8],
        block: &F::Block,
        acts: [&Acts; A],
        sums: &mut [S::Floats; A],
    ) {
        const { F::CODES.check() };
        let (scales, minimums) = F::scales(s, block);
        let mut dots = [s.zero_ints(); A];
        for (t, codes) in F::unpack(s, block).into_iter().enumerate() {
            let scale = s.shuffle(scales, s.load(&everywhere[t]));
            for (dots, acts) in dots.iter_mut().zip(acts) {
                let products = F::CODES.multiply(s, codes, &acts.codes[t], &acts.start[t]);
                let sum = s.sum_scaled(*dots, products, scale);
                // Else the compiler unpacks all weights first, and spills them.
                *dots = if A > 1 { s.in_place(sum) } else { sum };
            }
        }
        let factor = s.splat_half(F::factor(block));
        for ((sums, acts), dots) in sums.iter_mut().zip(acts).zip(dots) {
            let scale = s.mul(factor, s.splat_float(acts.scale * F::UNIT));
            *sums = s.mul_add(s.to_floats(dots), scale, *sums);
        }
        let Some(Minimums { words, factor }) = minimums else { return };
        let factor = s.splat_half(factor);
        for (sums, acts) in sums.iter_mut().zip(acts) {
            let dots = s.to_floats(s.multiply_words(words, s.load(&acts.sums)));
            *sums = s.mul_add(dots, s.mul(factor, s.splat_float(-acts.scale)), *sums);
        }
    }
}

/// The sum of each 16 codes, at most 16 * 127: those of the first halves of 32, then those of the second ones.
pub(in crate::cpu::simd) fn sums(codes: &[[i8; 32]; 8]) -> [i16; 16] {
    std::array::from_fn(|i| codes[i % 8][16 * (i / 8)..][..16].iter().map(|&q| i16::from(q)).sum())
}
