//! The product with one activation row, or with a few: every block is unpacked and meets their activations at once.
//!
//! [`block`] is the form of the types of 32 weights a block, [`superblock`] that of 256, both with 8-bit activations;
//! [`float`] keeps them in f32. A type says how its bits become bytes, in a file of its own.

use std::hint::black_box;

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

    /// The products of `block` and the `acts` of each activation row added, lane by lane, to its `sums`. To be marked
    /// `#[inline(always)]`.
    fn add<S: Simd, const A: usize>(
        s: S,
        tables: &Self::Tables,
        block: &<Self::Format as Format>::Block,
        acts: [&Self::Acts; A],
        sums: &mut [S::Floats; A],
    );
}

/// The activation rows up to which this product is faster than a panel for all of them, for types that do not say
/// otherwise: see `docs/performance.md` for what was measured.
const UP_TO: usize = 2;

/// Whether the product with `x` is best done here: there is an activation row, and no more than `up_to`.
fn takes<F: Format>(w: Matrix<'_, F>, x: &[::core::primitive::f32], up_to: usize) -> bool {
    (1..=up_to).contains(&(x.len() / w.cols()))
}

/// `y = W x` for each activation row of `x`, two at a time. A row's bits do not depend on its company.
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
    let (m, n) = (x.len() / w.cols(), w.cols() / P::Format::ELEMS);
    let acts = ws.slice::<P::Acts>(m * n);
    s.vectorise(Prepare::<P> { x, acts: &mut *acts });
    let (acts, tables) = (&*acts, black_box(P::TABLES));
    split::by_rows(y, m, w.rows(), w.bytes().len(), |mut out| {
        for rows in split::blocks(out.range(), m.div_ceil(2), w.bytes().len() / w.rows()) {
            for (pair, acts) in acts.chunks(2 * n).enumerate() {
                let out = out.activations(2 * pair..2 * pair + acts.len() / n, rows.clone());
                s.vectorise(Share::<P> { w, acts, tables, out });
            }
        }
    });
}

/// The preparation of the activations.
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

/// Weight rows of one thread, and one activation row or two.
struct Share<'a, P: Product> {
    w: Matrix<'a, P::Format>,
    acts: &'a [P::Acts],
    tables: &'a P::Tables,
    out: Columns<'a>,
}

impl<P: Product> Task for Share<'_, P> {
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let n = self.w.cols() / P::Format::ELEMS;
        match self.acts.split_at(n) {
            (one, []) => self.all(s, [one]),
            (one, two) => self.all(s, [one, two]),
        }
    }
}

impl<P: Product> Share<'_, P> {
    /// All weight rows, two at once where they are far apart.
    #[inline(always)]
    fn all<S: Simd, const A: usize>(&mut self, s: S, acts: [&[P::Acts]; A]) {
        let range = self.out.range();
        let far = split::far(&range, self.w.bytes().len() / self.w.rows());
        for r in range.start..range.start + far {
            self.rows(s, [r, r + far], acts);
        }
        for r in range.start + 2 * far..range.end {
            self.rows(s, [r], acts);
        }
    }

    /// `R` weight rows at once.
    #[inline(always)]
    fn rows<S: Simd, const R: usize, const A: usize>(
        &mut self,
        s: S,
        rows: [usize; R],
        mut acts: [&[P::Acts]; A],
    ) {
        let n = acts[0].len();
        for acts in &mut acts {
            *acts = &acts[..n];
        }
        let mut blocks: [&[_]; R] = [&[]; R];
        for (blocks, r) in blocks.iter_mut().zip(rows) {
            *blocks = &self.w.row(r)[..n];
        }
        let mut sums = [[s.splat_float(0.0); A]; R];
        for b in 0..n {
            let mut here = [&acts[0][b]; A];
            for (here, acts) in here.iter_mut().zip(&acts) {
                *here = &acts[b];
            }
            for (blocks, sums) in blocks.iter().zip(&mut sums) {
                P::add(s, self.tables, &blocks[b], here, sums);
            }
        }
        for (r, sums) in rows.into_iter().zip(sums) {
            for (i, sums) in sums.into_iter().enumerate() {
                self.out.set(i, r, total(s, sums));
            }
        }
    }
}

/// The sum of all lanes, halving.
#[inline(always)]
fn total<S: Simd>(s: S, v: S::Floats) -> ::core::primitive::f32 {
    let [a, b, c, d, e, f, g, h] = s.to_array(v);
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
