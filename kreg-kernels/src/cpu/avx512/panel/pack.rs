//! Activations, quantised once per call and packed in the order in which the microkernel reads them.
//!
//! A record is 32 inputs of the `width` columns (activation rows) of a tile, word by word, columns innermost:
//! 8 words of four codes, one f32 scale, then one auxiliary word for each group:
//!
//! | minimums | auxiliary word |
//! |---|---|
//! | none | `-OFFSET * sum(codes)`: what the integer accumulator starts from, so that an offset costs nothing |
//! | f32 | `scale * sum(codes)` as f32 |
//! | pairs | two 16-bit sums, of groups 2p and 2p + 1 of the 256 |

use std::arch::x86_64::*;

use super::integer::{Groups, Mins, pair_record};
use crate::cpu::avx512::load::{load128, load512};
use crate::cpu::avx512::quantise::quantise;

/// Packs a tile: `x` is `[width, cols]`, `out` is `cols / 32` records.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn tile<G: Groups>(x: &[f32], cols: usize, offset: i32, order: &[u8; 32], out: &mut [i32]) {
    let width = x.len() / cols;
    let order = Order::new(order);
    for (column, x) in x.chunks_exact(cols).enumerate() {
        let column = Column { offset, order, width, column };
        let spans = out.chunks_exact_mut(G::SPAN / 32 * width * G::XREC);
        if G::SPAN == 32 {
            x.as_chunks::<32>().0.iter().zip(spans).for_each(|(x, out)| column.span::<G, 32>(x, out));
        } else {
            x.as_chunks::<256>().0.iter().zip(spans).for_each(|(x, out)| column.span::<G, 256>(x, out));
        }
    }
}

/// Where one column goes.
struct Column {
    offset: i32,
    order: Order,
    width: usize,
    column: usize,
}

impl Column {
    /// The inputs that share a scale.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn span<G: Groups, const SPAN: usize>(&self, x: &[f32; SPAN], out: &mut [i32]) {
        let (codes, scale) = quantise(x);
        let mut sums = [0; 16];
        for (r, codes) in codes.as_chunks::<32>().0.iter().enumerate() {
            let at = |word: usize| (r * G::XREC + word) * self.width + self.column;
            let (words, group_sums) = self.order.words::<G>(codes);
            for (k, word) in words.into_iter().enumerate() {
                out[at(k)] = word;
            }
            out[at(8)] = scale.to_bits().cast_signed();
            for s in 0..G::SUBS {
                match G::MINS {
                    Mins::None => out[at(9 + s)] = -self.offset * group_sums[s],
                    Mins::F32 => {
                        out[at(9 + s)] = (scale * group_sums[s] as f32).to_bits().cast_signed();
                    }
                    Mins::Pairs => sums[r * G::SUBS + s] = group_sums[s],
                }
            }
        }
        if G::MINS == Mins::Pairs {
            for (p, pair) in sums.as_chunks::<2>().0[..4 * G::SUBS].iter().enumerate() {
                // A sum of 32 codes is at most 32 * 127: it fits.
                let word = (pair[1] << 16) | (pair[0] & 0xffff);
                out[(pair_record::<G>(p) * G::XREC + 9) * self.width + self.column] = word;
            }
        }
    }
}

/// The order of a record's inputs, as indices of a dword permutation.
#[derive(Clone, Copy)]
struct Order([__m512i; 2]);

impl Order {
    #[target_feature(enable = "avx512f")]
    fn new(order: &[u8; 32]) -> Self {
        let [first, second] = [0, 16].map(|i| {
            let half: [u8; 16] = std::array::from_fn(|j| order[i + j]);
            half.map(i32::from)
        });
        Self([load512(&first), load512(&second)])
    }

    /// The codes in this order as 8 words, and the sum of each group.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn words<G: Groups>(&self, codes: &[i8; 32]) -> ([i32; 8], [i32; 2]) {
        let [low, high] = codes.as_chunks::<16>().0 else { unreachable!("two halves") };
        let (low, high) = (_mm512_cvtepi8_epi32(load128(low)), _mm512_cvtepi8_epi32(load128(high)));
        let half = |order| _mm512_permutex2var_epi32(low, order, high);
        let (first, second) = (half(self.0[0]), half(self.0[1]));
        let (a, b) = (_mm512_cvtepi32_epi8(first), _mm512_cvtepi32_epi8(second));
        let words = bytemuck::cast([a, b]);
        if G::SUBS == 1 {
            (words, [_mm512_reduce_add_epi32(_mm512_add_epi32(first, second)), 0])
        } else {
            (words, [_mm512_reduce_add_epi32(first), _mm512_reduce_add_epi32(second)])
        }
    }
}
