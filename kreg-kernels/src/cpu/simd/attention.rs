//! Attention: two queries that share a key head, four positions at a time.

use crate::args::AttentionShape;
use crate::cpu::attention::{self, BLOCK, Part, Rows, Span};
use crate::cpu::simd::{Simd, Task};
use crate::workspace::Workspace;

mod tile;

/// Positions whose scores are computed together.
const TILE: usize = 4;

/// Vectors of an output that are summed together.
const COLUMNS: usize = 4;

/// See the portable level's function of this name.
///
/// # Panics
/// When a length does not fit the shape.
#[inline(always)]
pub(crate) fn attention<S: Simd>(
    s: S,
    q: &[f32],
    caches: [&[f32]; 2],
    current: [&[f32]; 2],
    shape: AttentionShape,
    out: &mut [f32],
    ws: &mut Workspace,
) {
    let one = |part: Part<'_>| s.vectorise(Attend(part));
    attention::attention(q, caches, current, shape, out, ws, one, |tile| s.vectorise(tile::Attend(tile)));
}

/// The heads of one thread.
struct Attend<'a>(Part<'a>);

// Loops here, no closures: one that is handed to a function of the standard library would be compiled without the
// level's features and stay a call.
impl Task for Attend<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Part { span, shape, q, keys, values, scores, out } = self.0;
        let (d, n) = (span.head_dim, out.len() / span.head_dim);
        let mut start = 0;
        while start < span.positions {
            let end = span.positions.min(start + BLOCK);
            let mut h = 0;
            while h < n {
                let heads = pair(span, n, h);
                let q = [&q[heads[0] * d..][..d], &q[heads[1] * d..][..d]];
                let mut p = start;
                while p < end {
                    let rows = rows::<TILE>(keys, span, p, end - p, heads[0]);
                    let sums = s.to_array(s.mul(score(s, q, rows), s.splat_float(shape.scale)));
                    for i in 0..TILE.min(end - p) {
                        scores[heads[0] * span.positions + p + i] = sums[i];
                        scores[heads[1] * span.positions + p + i] = sums[TILE + i];
                    }
                    p += TILE;
                }
                h = heads[1] + 1;
            }
            start = end;
        }
        attention::weights(scores, span.positions, shape.softcap);
        // The neutral element of floating-point addition: it keeps the sign of a zero.
        out.fill(-0.0);
        let mut start = 0;
        while start < span.positions {
            let len = BLOCK.min(span.positions - start);
            let mut h = 0;
            while h < n {
                let heads = pair(span, n, h);
                let rows = rows::<BLOCK>(values, span, start, len, heads[0]);
                let weights = [
                    &scores[heads[0] * span.positions + start..][..len],
                    &scores[heads[1] * span.positions + start..][..len],
                ];
                weighted_sum(s, heads.map(|h| h * d), weights, &rows[..len], out);
                h = heads[1] + 1;
            }
            start += len;
        }
    }
}

/// Head `h` of a task's `n` and the next one, if it shares the key head; else `h` twice.
#[inline(always)]
fn pair(span: Span, n: usize, h: usize) -> [usize; 2] {
    let shared = h + 1 < n && span.key_head(h) == span.key_head(h + 1);
    [h, h + usize::from(shared)]
}

/// What head `h` reads at `N` positions from `p` on. After the first `n`, the last of these once more: what it gives
/// is not used.
#[inline(always)]
fn rows<'a, const N: usize>(rows: Rows<'a>, span: Span, p: usize, n: usize, h: usize) -> [&'a [f32]; N] {
    let mut out = [&[][..]; N];
    for (i, out) in out.iter_mut().enumerate() {
        *out = span.part(rows.row(p + i.min(n - 1)), h);
    }
    out
}

/// The products of two queries with four keys: lane `4 i + j` is query `i` times key `j`.
#[inline(always)]
fn score<S: Simd>(s: S, q: [&[f32]; 2], k: [&[f32]; TILE]) -> S::Floats {
    let ((q0, q0_end), (q1, q1_end)) = (q[0].as_chunks::<8>(), q[1].as_chunks::<8>());
    let ((k0, k0_end), (k1, k1_end)) = (k[0].as_chunks::<8>(), k[1].as_chunks::<8>());
    let ((k2, k2_end), (k3, k3_end)) = (k[2].as_chunks::<8>(), k[3].as_chunks::<8>());
    let mut sums = [s.splat_float(0.0); 2 * TILE];
    for (((q0, q1), (k0, k1)), (k2, k3)) in q0.iter().zip(q1).zip(k0.iter().zip(k1)).zip(k2.iter().zip(k3)) {
        add(s, [q0, q1], [k0, k1, k2, k3], &mut sums);
    }
    if !q0_end.is_empty() {
        let q = [&padded(q0_end), &padded(q1_end)];
        add(s, q, [&padded(k0_end), &padded(k1_end), &padded(k2_end), &padded(k3_end)], &mut sums);
    }
    s.totals(sums)
}

/// Adds the products of eight elements of two queries and four keys.
#[inline(always)]
fn add<S: Simd>(s: S, q: [&[f32; 8]; 2], k: [&[f32; 8]; TILE], sums: &mut [S::Floats; 2 * TILE]) {
    let q = [s.floats(bytemuck::cast_ref(q[0])), s.floats(bytemuck::cast_ref(q[1]))];
    for (i, k) in k.into_iter().enumerate() {
        let k = s.floats(bytemuck::cast_ref(k));
        sums[i] = s.mul_add(q[0], k, sums[i]);
        sums[TILE + i] = s.mul_add(q[1], k, sums[TILE + i]);
    }
}

/// A ragged end and zeros.
#[inline(always)]
fn padded(x: &[f32]) -> [f32; 8] {
    let mut out = [0.0; 8];
    out.iter_mut().zip(x).for_each(|(out, x)| *out = *x);
    out
}

/// `out[to[i]..] += sum of weights[i][p] * rows[p]`, positions ascending, for two queries.
#[inline(always)]
fn weighted_sum<S: Simd>(s: S, to: [usize; 2], weights: [&[f32]; 2], rows: &[&[f32]], out: &mut [f32]) {
    let d = rows[0].len();
    let mut at = 0;
    while at + 8 * COLUMNS <= d {
        columns::<S, COLUMNS>(s, to, weights, rows, at, out);
        at += 8 * COLUMNS;
    }
    while at + 8 <= d {
        columns::<S, 1>(s, to, weights, rows, at, out);
        at += 8;
    }
    for at in at..d {
        let mut sums = [out[to[0] + at], out[to[1] + at]];
        for ((row, w0), w1) in rows.iter().zip(weights[0]).zip(weights[1]) {
            sums = [w0.mul_add(row[at], sums[0]), w1.mul_add(row[at], sums[1])];
        }
        (out[to[0] + at], out[to[1] + at]) = (sums[0], sums[1]);
    }
}

/// The same for `8 * C` columns from `at` on.
#[inline(always)]
fn columns<S: Simd, const C: usize>(
    s: S,
    to: [usize; 2],
    weights: [&[f32]; 2],
    rows: &[&[f32]],
    at: usize,
    out: &mut [f32],
) {
    let mut sums = [[s.splat_float(0.0); C]; 2];
    for (sums, to) in sums.iter_mut().zip(to) {
        for (sum, out) in sums.iter_mut().zip(out[to + at..].as_chunks().0) {
            *sum = s.floats(bytemuck::cast_ref::<[f32; 8], _>(out));
        }
    }
    for ((row, w0), w1) in rows.iter().zip(weights[0]).zip(weights[1]) {
        let w = [s.splat_float(*w0), s.splat_float(*w1)];
        for (c, row) in row[at..at + 8 * C].as_chunks().0.iter().enumerate() {
            let row = s.floats(bytemuck::cast_ref::<[f32; 8], _>(row));
            sums[0][c] = s.mul_add(w[0], row, sums[0][c]);
            sums[1][c] = s.mul_add(w[1], row, sums[1][c]);
        }
    }
    // By reference: an array's own iterator would be moved, which is a call of memcpy.
    for (sums, to) in sums.iter().zip(to) {
        for (sum, out) in sums.iter().zip(out[to + at..].as_chunks_mut().0) {
            *out = s.to_array(*sum);
        }
    }
}
