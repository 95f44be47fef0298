//! The integer microkernel: sixteen weight rows by `MR` activation rows, one for every quantised type and level.

use super::driver::Vector;
use crate::cpu::simd::{Codes, Simd};

/// Integer sums of a tile: two vectors of eight weight rows for each activation row.
pub(super) type Ints<S, const MR: usize> = [[<S as Simd>::Ints; 2]; MR];

/// The sums of all planes of codes: see [`Codes::planes`].
#[inline(always)]
pub(super) fn sum_planes<S: Simd, const MR: usize>(
    s: S,
    codes: Codes,
    [mut low, high]: [Ints<S, MR>; 2],
) -> Ints<S, MR> {
    if codes.planes() == 2 {
        for c in 0..MR {
            for half in 0..2 {
                low[c][half] = s.add_ints(low[c][half], s.times_16(high[c][half]));
            }
        }
    }
    low
}

/// Adds the products of a few steps of four inputs to `ints`: as many steps as sums of 16 bits have room for. They are
/// multiplied by the words `scale`, one vector for each half of the panel, if there are any.
///
/// `w` is two vectors a step, `x` `MR` words a step.
#[inline(always)]
pub(super) fn dots<S: Simd, const MR: usize>(
    s: S,
    codes: Codes,
    w: &[Vector],
    x: &[i32],
    scale: Option<[S::Bytes; 2]>,
    ints: &mut Ints<S, MR>,
) {
    let (w, x) = (w.as_chunks::<2>().0, x.as_chunks::<MR>().0);
    let (zero, last) = (s.splat(0), w.len() - 1);
    let mut sums = Sums { codes, scale, products: [[s.multiply(zero, zero); 2]; MR], ints };
    if last == 0 {
        return sums.step::<true, true>(s, &w[0], &x[0]);
    }
    sums.step::<true, false>(s, &w[0], &x[0]);
    for (w, x) in w[1..last].iter().zip(&x[1..last]) {
        sums.step::<false, false>(s, w, x);
    }
    sums.step::<false, true>(s, &w[last], &x[last]);
}

/// The sums of [`dots`].
struct Sums<'a, S: Simd, const MR: usize> {
    codes: Codes,
    scale: Option<[S::Bytes; 2]>,
    products: [[S::Products; 2]; MR],
    ints: &'a mut Ints<S, MR>,
}

impl<S: Simd, const MR: usize> Sums<'_, S, MR> {
    /// One step. After the last one each sum of 16 bits is widened at once: that frees its register.
    #[inline(always)]
    fn step<const FIRST: bool, const LAST: bool>(&mut self, s: S, w: &[Vector; 2], x: &[i32; MR]) {
        let w = [s.load(&w[0]), s.load(&w[1])];
        for c in 0..MR {
            let x = s.splat_word(x[c]);
            for half in 0..2 {
                let sum = if FIRST {
                    self.codes.multiply_panel(s, w[half], x)
                } else {
                    s.multiply_add(self.products[c][half], w[half], x)
                };
                self.products[c][half] = sum;
                if LAST {
                    let ints = &mut self.ints[c][half];
                    *ints = s.in_place(match self.scale {
                        None => s.add_ints(*ints, s.sum(sum)),
                        Some(scale) => s.sum_scaled(*ints, sum, scale[half]),
                    });
                }
            }
        }
    }
}
