//! 8-bit weights times 8-bit activations: what a quantised type says of itself, and the records that it unpacks to.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::driver::{self, Arithmetic, Source};
use super::lanes::Rows;
use super::{pack, tile};
use crate::format::Format;
use crate::{Matrix, Workspace};

/// How the additive part of a type reaches the sum.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Mins {
    /// There is none.
    None,
    /// One f32 per group, times the f32 sum of the group's activations.
    F32,
    /// One 16-bit integer per group and one f32 per 256: two groups make one integer dot product.
    Pairs,
}

/// How scales are shared: the shape of the weight and the activation records, each of 32 inputs.
///
/// A weight record is `REC` vectors of one lane per row: 8 of quants (four bytes a lane), `SUBS` of f32 scales, `SUBS`
/// of minimums if there are any. An activation record of `c` columns is `XREC` times `c` words: 8 words of four codes,
/// the f32 scale, `SUBS` auxiliary words (see [`pack`]).
pub(crate) trait Groups: 'static {
    /// Groups in a record: each has a scale, and a minimum if there is any.
    const SUBS: usize;
    /// The kind of minimum.
    const MINS: Mins;
    /// Activations that share a scale: 32 or 256.
    const SPAN: usize;
    /// Vectors of a weight record.
    const REC: usize = 8 + Self::SUBS * if matches!(Self::MINS, Mins::None) { 1 } else { 2 };
    /// Words of an activation record, per column.
    const XREC: usize = 9 + Self::SUBS;
}

macro_rules! groups {
    ($($(#[$doc:meta])* $name:ident: $subs:literal, $mins:ident, $span:literal;)+) => {$(
        $(#[$doc])*
        pub(crate) struct $name;
        impl Groups for $name {
            const SUBS: usize = $subs;
            const MINS: Mins = Mins::$mins;
            const SPAN: usize = $span;
        }
    )+};
}

groups! {
    /// Blocks of 32 with a scale.
    Whole: 1, None, 32;
    /// Blocks of 32 with a scale and a minimum.
    WholeMin: 1, F32, 32;
    /// Blocks of 256: a scale per 32.
    Sub32: 1, None, 256;
    /// Blocks of 256: a scale and a minimum per 32.
    Sub32Min: 1, Pairs, 256;
    /// Blocks of 256: a scale per 16.
    Sub16: 2, None, 256;
    /// Blocks of 256: a scale and a minimum per 16.
    Sub16Min: 2, Pairs, 256;
}

/// Inputs of a record in order: word `k` holds inputs `4k..4k + 4`.
const IN_ORDER: [u8; 32] = {
    let mut order = [0; 32];
    let mut i = 0;
    while i < 32 {
        order[i] = i as u8;
        i += 1;
    }
    order
};

/// A quantised weight type as the microkernel sees it: unsigned bytes `u`, so that `w = scale * (u - OFFSET) [+ min]`.
pub(crate) trait Panel: Format {
    /// How scales are shared.
    type Groups: Groups;
    /// What is subtracted from the unsigned bytes. Types with minimums have none.
    const OFFSET: i32;
    /// Byte `i % 4` of quant vector `i / 4` is weight `ORDER[i]` of the record's 32, for types whose bits come apart in
    /// another order. A group's weights stay in its own vectors.
    const ORDER: [u8; 32] = IN_ORDER;

    /// Unpacks the blocks at byte `at` of sixteen rows.
    ///
    /// # Safety
    /// The CPU must have the features that the implementation enables.
    unsafe fn unpack(rows: &Rows<'_>, at: usize, out: Records<'_, Self::Groups>);
}

/// The records of one block of sixteen rows.
pub(crate) struct Records<'p, G> {
    vectors: &'p mut [__m512i],
    groups: PhantomData<G>,
}

impl<G: Groups> Records<'_, G> {
    /// Quants: vector `k` of 8 of record `r`.
    #[inline(always)]
    pub(crate) fn quants(&mut self, r: usize, k: usize, v: __m512i) {
        self.vectors[r * G::REC + k] = v;
    }

    /// The scales of group `s` of record `r`.
    #[inline(always)]
    pub(crate) fn scale(&mut self, r: usize, s: usize, v: __m512) {
        self.vectors[r * G::REC + 8 + s] = bytemuck::cast(v);
    }

    /// The minimums of group `s` of record `r` ([`Mins::F32`]).
    #[inline(always)]
    pub(crate) fn min(&mut self, r: usize, s: usize, v: __m512) {
        self.vectors[r * G::REC + 8 + G::SUBS + s] = bytemuck::cast(v);
    }

    /// The 16-bit minimums of groups `2p` and `2p + 1` of the block ([`Mins::Pairs`]).
    #[inline(always)]
    pub(crate) fn min_pair(&mut self, p: usize, v: __m512i) {
        self.vectors[pair_record::<G>(p) * G::REC + 8 + G::SUBS] = v;
    }

    /// The scale of the 16-bit minimums ([`Mins::Pairs`]), in the last slot of the block.
    #[inline(always)]
    pub(crate) fn min_scale(&mut self, v: __m512) {
        self.vectors[8 * G::REC - 1] = bytemuck::cast(v);
    }
}

/// The record that holds pair `p` of the 16-bit minimums.
pub(super) const fn pair_record<G: Groups>(p: usize) -> usize {
    2 * p / G::SUBS
}

/// The product for a quantised type with any number of activation rows.
///
/// # Panics
/// When `x` is not `[M, cols]` or `y` not `[M, rows]`.
///
/// # Safety
/// The CPU must have the level's features and those that `F`'s [`Panel`] implementation enables.
pub(crate) unsafe fn integer<F: Panel>(w: Matrix<'_, F>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    let source =
        Source { data: w.bytes(), stride: w.cols() / F::ELEMS * F::BYTES, rows: w.rows(), cols: w.cols() };
    // SAFETY: the caller vouches for the features.
    unsafe { driver::matvec(&Integer(PhantomData::<F>), source, x, y, ws) }
}

struct Integer<F>(PhantomData<F>);

impl<F: Panel> Arithmetic for Integer<F> {
    const GROUPS: usize = 1;
    const STEP: usize = F::ELEMS;
    const WEIGHTS: usize = F::ELEMS / 32 * F::Groups::REC;
    const INPUTS: usize = F::ELEMS / 32 * F::Groups::XREC;
    const FEW: usize = 1024;
    const MANY: usize = 8192;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn pack(x: &[f32], cols: usize, out: &mut [i32]) {
        pack::tile::<F::Groups>(x, cols, F::OFFSET, &F::ORDER, out);
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn unpack(&self, rows: &Rows<'_>, step: usize, out: &mut [__m512i]) {
        let records = Records { vectors: &mut out[..Self::WEIGHTS], groups: PhantomData };
        // SAFETY: the caller vouches for the features.
        unsafe { F::unpack(rows, step * F::BYTES, records) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    unsafe fn tile<const MR: usize>(w: &[__m512i], x: &[i32], sums: &mut [__m512]) {
        tile::tile::<F::Groups, MR>(w, x, sums);
    }
}
