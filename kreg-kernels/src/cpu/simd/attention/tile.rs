//! Several positions at once: their queries that share a key head are the rows of one small matrix, which a block of keys
//! or values in cache multiplies. The arithmetic of each query is that of a single position, to the bit.

use super::{TILE, score, weighted_sum};
use crate::args::AttentionShape;
use crate::cpu::attention::{self, Rows, Tile};
use crate::cpu::simd::{Simd, Task};

/// Positions whose rows are looked up together.
const BLOCK: usize = 32;

/// The positions of one thread's tile.
pub(super) struct Attend<'a>(pub(super) Tile<'a>);

impl Task for Attend<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Tile { shape, past, q, keys, values, scores, out } = self.0;
        let AttentionShape { heads, kv_heads, head_dim, .. } = shape;
        let group = heads / kv_heads;
        let tokens = q.len() / (heads * head_dim);
        // The neutral element of floating-point addition: it keeps the sign of a zero.
        out.fill(-0.0);
        for key_head in 0..kv_heads {
            let queries = Queries {
                key_head,
                group,
                heads,
                head_dim,
                past,
                count: tokens * group,
                seen: past + tokens,
            };
            queries.score(s, q, keys, shape.scale, scores);
            for r in 0..queries.count {
                let scores = &mut scores[r * queries.seen..][..queries.sees(r)];
                attention::weights(scores, scores.len(), shape.softcap);
            }
            queries.sum(s, scores, values, out);
        }
    }
}

/// The queries of a tile that share a key head, position by position.
#[derive(Clone, Copy)]
struct Queries {
    key_head: usize,
    group: usize,
    heads: usize,
    head_dim: usize,
    /// Positions before the tile's first.
    past: usize,
    /// How many queries.
    count: usize,
    /// Positions that the last one sees; scores are `[count, seen]`.
    seen: usize,
}

impl Queries {
    /// Where query `r` starts in `q` and `out`.
    #[inline(always)]
    fn at(self, r: usize) -> usize {
        (r / self.group * self.heads + self.key_head * self.group + r % self.group) * self.head_dim
    }

    /// How many positions query `r` sees.
    #[inline(always)]
    fn sees(self, r: usize) -> usize {
        self.past + r / self.group + 1
    }

    /// What the queries read at `len` positions from `start` on; the last of these once more behind them.
    #[inline(always)]
    fn block<'a>(self, rows: Rows<'a>, start: usize, len: usize) -> [&'a [f32]; BLOCK] {
        let mut out = [&[][..]; BLOCK];
        for (i, out) in out.iter_mut().enumerate() {
            let row = rows.row(start + i.min(len - 1));
            *out = &row[self.key_head * self.head_dim..][..self.head_dim];
        }
        out
    }

    /// `scores[r][p] = dot(q[r], key p) * scale`. Scores of positions that a query does not see are not used.
    #[inline(always)]
    fn score<S: Simd>(self, s: S, q: &[f32], keys: Rows<'_>, scale: f32, scores: &mut [f32]) {
        let scale = s.splat_float(scale);
        let mut start = 0;
        while start < self.seen {
            let len = BLOCK.min(self.seen - start);
            let keys = self.block(keys, start, len);
            let mut r = 0;
            while r < self.count {
                let pair = [r, (r + 1).min(self.count - 1)];
                let q = [&q[self.at(pair[0])..][..self.head_dim], &q[self.at(pair[1])..][..self.head_dim]];
                let mut p = 0;
                while p < len {
                    let n = TILE.min(len - p);
                    let sums = score(s, q, [keys[p], keys[p + 1], keys[p + 2], keys[p + 3]]);
                    let sums = s.to_array(s.mul(sums, scale));
                    let at = start + p;
                    store(&mut scores[pair[0] * self.seen + at..][..n], [sums[0], sums[1], sums[2], sums[3]]);
                    store(&mut scores[pair[1] * self.seen + at..][..n], [sums[4], sums[5], sums[6], sums[7]]);
                    p += TILE;
                }
                r += 2;
            }
            start += len;
        }
    }

    /// `out[r] += sum of weights[r][p] * value p` over the positions that query `r` sees.
    #[inline(always)]
    fn sum<S: Simd>(self, s: S, weights: &[f32], values: Rows<'_>, out: &mut [f32]) {
        let mut start = 0;
        while start < self.seen {
            let len = BLOCK.min(self.seen - start);
            let values = self.block(values, start, len);
            let mut r = 0;
            while r < self.count {
                let pair = [r, (r + 1).min(self.count - 1)];
                let to = [self.at(pair[0]), self.at(pair[1])];
                // The second query sees at least what the first does.
                let (both, all) = (self.within(pair[0], start, len), self.within(pair[1], start, len));
                let weights = [
                    &weights[pair[0] * self.seen + start..][..both],
                    &weights[pair[1] * self.seen + start..][..all],
                ];
                if both > 0 {
                    weighted_sum(s, to, [weights[0], &weights[1][..both]], &values[..both], out);
                }
                if all > both {
                    weighted_sum(s, [to[1]; 2], [&weights[1][both..]; 2], &values[both..all], out);
                }
                r += 2;
            }
            start += len;
        }
    }

    /// How many of `len` positions from `start` on query `r` sees.
    #[inline(always)]
    fn within(self, r: usize, start: usize, len: usize) -> usize {
        self.sees(r).saturating_sub(start).min(len)
    }
}

/// As many of `sums` as `out` has room for. Where it has room for all, one store and not a call of memcpy.
#[inline(always)]
fn store(out: &mut [f32], sums: [f32; TILE]) {
    match out.first_chunk_mut::<TILE>() {
        Some(out) => *out = sums,
        None => out.iter_mut().zip(&sums).for_each(|(out, sum)| *out = *sum),
    }
}
