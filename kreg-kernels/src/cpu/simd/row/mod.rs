//! The product, weight row by weight row: every block is unpacked once and meets the activations of up to [`TILE`] rows.
//!
//! [`block`] is the form of the types of 32 weights a block, [`superblock`] that of 256, both with 8-bit activations;
//! [`float`] keeps them in f32. A type says how its bits become bytes, in a file of its own.

use std::hint::black_box;
use std::ops::Range;

use bytemuck::Pod;

use super::{Simd, Task};
use crate::cpu::split::{self, Columns};
use crate::format::Format;
use crate::{Matrix, Workspace};

pub(crate) mod block;
pub(crate) mod float;
pub(crate) mod superblock;

mod apr_q4;
mod apr_q8;
mod bf16;
mod bits;
mod f16;
mod f32;
mod iq2_s;
mod iq2_xxs;
mod iq3_s;
mod iq3_xxs;
mod iq4_nl;
mod iq4_xs;
mod q2_k;
mod q3_k;
mod q4_0;
mod q4_1;
mod q4_k;
mod q5_0;
mod q5_1;
mod q5_k;
mod q6_k;
mod q8_0;
mod six_bit;

/// Activation rows that share an unpacked block.
const TILE: usize = 4;

/// Activation rows whose prepared form should stay in the second-level cache while the weights pass.
const GROUP: usize = 16;

/// What the bytes of a block stand for.
#[derive(Clone, Copy)]
pub(crate) enum Codes {
    /// Numbers from 0 to this one.
    Unsigned(u8),
    /// Numbers from 0 to `max`, less `offset`.
    Offset { max: u8, offset: u8 },
    /// Signed numbers.
    Signed,
}

impl Codes {
    /// What is taken off a code.
    const fn offset(self) -> u8 {
        match self {
            Self::Offset { offset, .. } => offset,
            Self::Unsigned(_) | Self::Signed => 0,
        }
    }

    /// Asserts that the sum of two products fits the 16 bits that AVX2 and NEON have for it: beyond, AVX2 saturates.
    const fn check(self) {
        let largest = match self {
            Self::Unsigned(max) | Self::Offset { max, .. } => max,
            Self::Signed => 128,
        };
        assert!(2 * largest as i32 * 127 <= i16::MAX as i32);
    }

    /// The products of codes `w` and activations `x`.
    #[inline(always)]
    fn multiply<S: Simd>(self, s: S, w: S::Bytes, x: &[i8; 32], start: &[i16; 16]) -> S::Products {
        match self {
            Self::Unsigned(_) => s.multiply(w, s.load(x)),
            Self::Offset { offset, .. } => s.multiply_offset(w, offset, s.load(x), start),
            Self::Signed => s.multiply_signed(w, s.load(x)),
        }
    }

    /// `-offset * x`, each two neighbours added.
    fn start(self, x: &[i8; 32]) -> [i16; 16] {
        let pairs = x.as_chunks::<2>().0;
        std::array::from_fn(|i| -i16::from(self.offset()) * (i16::from(pairs[i][0]) + i16::from(pairs[i][1])))
    }
}

/// The product of a weight format, block by block.
trait Product: Sync + 'static {
    /// The format.
    type Format: Format;
    /// The activations that meet one block.
    type Acts: Pod + Sync;
    /// Of [`Self::TABLES`].
    type Tables: Sync;

    /// Operands that the compiler is not to see through: it replaces a shuffle by two whose operands are immediate.
    const TABLES: &'static Self::Tables;

    /// Writes the prepared form of one block of activations.
    fn prepare(x: &[f32], acts: &mut Self::Acts);

    /// Adds the products of `block` with each of `acts`, lane by lane, to `sums`. To be marked `#[inline(always)]`.
    fn add<S: Simd, const T: usize>(
        s: S,
        tables: &Self::Tables,
        block: &<Self::Format as Format>::Block,
        acts: [&Self::Acts; T],
        sums: &mut [S::Floats; T],
    );
}

/// `y = W x` for each activation row of `x`.
///
/// # Panics
/// When `x` is not `[M, cols]` or `y` not `[M, rows]`.
#[inline(always)]
fn matvec<S: Simd, P: Product>(
    s: S,
    w: Matrix<'_, P::Format>,
    x: &[::core::primitive::f32],
    y: &mut [::core::primitive::f32],
    ws: &mut Workspace,
) {
    assert!(x.len().is_multiple_of(w.cols()), "x must be [M, cols]");
    let m = x.len() / w.cols();
    let acts = ws.slice::<P::Acts>(x.len() / P::Format::ELEMS);
    s.vectorise(Prepare::<P> { x, acts: &mut *acts });
    let (acts, tables) = (&*acts, black_box(P::TABLES));
    split::by_rows(y, m, w.rows(), w.bytes().len().saturating_mul(m), |out| {
        s.vectorise(Share::<P> { w, m, acts, tables, out });
    });
}

/// The preparation of all activations.
struct Prepare<'a, P: Product> {
    x: &'a [::core::primitive::f32],
    acts: &'a mut [P::Acts],
}

impl<P: Product> Task for Prepare<'_, P> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for (x, acts) in self.x.chunks_exact(P::Format::ELEMS).zip(self.acts) {
            P::prepare(x, acts);
        }
    }
}

/// The weight rows of one thread.
struct Share<'a, P: Product> {
    w: Matrix<'a, P::Format>,
    m: usize,
    acts: &'a [P::Acts],
    tables: &'a P::Tables,
    out: Columns<'a>,
}

impl<P: Product> Task for Share<'_, P> {
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let range = self.out.range();
        if self.m == 1 {
            let far = split::far(&range, self.w.bytes().len() / self.w.rows());
            for r in range.start..range.start + far {
                self.pair(s, [r, r + far]);
            }
            self.tiles::<S, 1>(s, range.start + 2 * far..range.end, 0..1);
            return;
        }
        let mut from = 0;
        while from < self.m {
            let to = self.m.min(from + GROUP);
            self.tiles::<S, TILE>(s, range.clone(), from..to);
            from = to;
        }
    }
}

impl<P: Product> Share<'_, P> {
    /// Two weight rows with the one activation row.
    #[inline(always)]
    fn pair<S: Simd>(&mut self, s: S, [r0, r1]: [usize; 2]) {
        let mut sums = [[s.splat_float(0.0)]; 2];
        for ((b0, b1), acts) in self.w.row(r0).iter().zip(self.w.row(r1)).zip(self.acts) {
            P::add(s, self.tables, b0, [acts], &mut sums[0]);
            P::add(s, self.tables, b1, [acts], &mut sums[1]);
        }
        self.out.set(0, r0, total(s, sums[0][0]));
        self.out.set(0, r1, total(s, sums[1][0]));
    }

    /// The weight rows `rows` with the activation rows `which`, `T` of these at a time.
    #[inline(always)]
    fn tiles<S: Simd, const T: usize>(&mut self, s: S, rows: Range<usize>, which: Range<usize>) {
        for r in rows {
            let mut i = which.start;
            while i + T <= which.end {
                self.tile::<S, T>(s, r, i);
                i += T;
            }
            while i < which.end {
                self.tile::<S, 1>(s, r, i);
                i += 1;
            }
        }
    }

    /// Weight row `r` with the activation rows from `i` to `i + T`.
    #[inline(always)]
    fn tile<S: Simd, const T: usize>(&mut self, s: S, r: usize, i: usize) {
        let row = self.w.row(r);
        let mut rest: [&[P::Acts]; T] = [&[]; T];
        for (t, rest) in rest.iter_mut().enumerate() {
            *rest = &self.acts[(i + t) * row.len()..(i + t + 1) * row.len()];
        }
        let mut sums = [s.splat_float(0.0); T];
        for (b, block) in row.iter().enumerate() {
            let mut acts = [&rest[0][b]; T];
            for (acts, rest) in acts.iter_mut().zip(&rest) {
                *acts = &rest[b];
            }
            P::add(s, self.tables, block, acts, &mut sums);
        }
        for (t, sum) in sums.into_iter().enumerate() {
            self.out.set(i + t, r, total(s, sum));
        }
    }
}

/// The sum of all lanes, halving.
#[inline(always)]
fn total<S: Simd>(s: S, v: S::Floats) -> ::core::primitive::f32 {
    let [a, b, c, d, e, f, g, h] = s.to_array(v);
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
