//! Blocks of 32 weights with one f16 scale, against 32 activations with one f32 scale.

use std::marker::PhantomData;

use bytemuck::{Pod, Zeroable};

use super::Product;
use crate::cpu::portable::quantise::quantise;
use crate::cpu::simd::{Codes, Simd, panel};
use crate::format::Format;
use crate::{Matrix, Workspace};

/// A type of blocks of 32 weights `d * code` or `d * code + m`.
pub(crate) trait Block: Format {
    /// What the codes are.
    const CODES: Codes;

    /// The activation rows up to which they meet a weight row together instead of a panel, as measured.
    const UP_TO: usize = super::UP_TO;

    /// The codes in order. To be marked `#[inline(always)]`.
    fn unpack<S: Simd>(s: S, block: &Self::Block) -> S::Bytes;

    /// The f16 scale.
    fn scale(block: &Self::Block) -> [u8; 2];

    /// The f16 minimum, where the type has one: where codes are unsigned.
    #[inline(always)]
    fn minimum(_: &Self::Block) -> Option<[u8; 2]> {
        None
    }
}

/// `y = W x` for each activation row of `x`, with `x` quantised per 32.
///
/// # Panics
/// When `x` is not `[M, cols]` or `y` not `[M, rows]`.
#[inline(always)]
pub(crate) fn matvec<S: Simd, F: Block>(
    s: S,
    w: Matrix<'_, F>,
    x: &[f32],
    y: &mut [f32],
    ws: &mut Workspace,
) {
    if super::takes(w, x, F::UP_TO) {
        return super::matvec::<S, Blocks<F>>(s, w, x, y, ws);
    }
    panel::matvec(s, &panel::Blocks(w), (w.rows(), w.cols()), x, y, ws);
}

/// Activations for one block.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Acts {
    codes: [i8; 32],
    /// see [`Codes::start`]
    start: [i16; 16],
    /// the sum of the activations in lane 0
    sum: [f32; 8],
    scale: f32,
    pad: [u8; 28],
}

const _: () = assert!(size_of::<Acts>() == 32 + 32 + 32 + 4 + 28);
// SAFETY: integers and floats without padding (the size is asserted): every bit pattern is valid.
unsafe impl Zeroable for Acts {}
// SAFETY: as above; `Copy`, `'static`, no interior mutability, no pointers.
unsafe impl Pod for Acts {}

/// The product of the blocks of `F`.
struct Blocks<F>(PhantomData<F>);

impl<F: Block> Product for Blocks<F> {
    type Format = F;
    type Acts = Acts;
    type Tables = ();

    const TABLES: &'static () = &();

    #[inline(always)]
    fn prepare(x: &[f32], acts: &mut Acts) {
        acts.scale = quantise(x, &mut acts.codes);
        acts.start = F::CODES.start(&acts.codes);
        let sum: i32 = acts.codes.iter().map(|&q| i32::from(q)).sum();
        acts.sum = [0.0; 8];
        acts.sum[0] = sum as f32 * acts.scale;
    }

    #[inline(always)]
    fn add<S: Simd, const A: usize>(
        s: S,
        _: &(),
        block: &F::Block,
        acts: [&Acts; A],
        sums: &mut [S::Floats; A],
    ) {
        const { F::CODES.check() };
        let (codes, factor) = (F::unpack(s, block), s.splat_half(F::scale(block)));
        for (sums, acts) in sums.iter_mut().zip(acts) {
            let products = F::CODES.multiply(s, codes, &acts.codes, &acts.start);
            let scale = s.mul(factor, s.splat_float(acts.scale));
            *sums = s.mul_add(s.to_floats(s.sum(products)), scale, *sums);
        }
        let Some(minimum) = F::minimum(block) else { return };
        let minimum = s.splat_half(minimum);
        for (sums, acts) in sums.iter_mut().zip(acts) {
            *sums = s.mul_add(minimum, s.floats(bytemuck::cast_ref(&acts.sum)), *sums);
        }
    }
}
