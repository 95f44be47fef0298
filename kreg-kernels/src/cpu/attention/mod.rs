//! What attention kernels of every level share: the division of the heads, the rows that they read, the softmax.

use std::ops::Range;

use crate::args::AttentionShape;
use crate::cpu::split::Chunks;
use crate::cpu::{math, team};
use crate::workspace::Workspace;

#[cfg(test)]
mod tests;
mod tiles;

pub(crate) use tiles::Tile;

/// Multiplications below this stay on the calling thread: they take less time than two wake-ups of a worker.
const SERIAL: usize = 1 << 19;

/// The same where workers stand by.
const SERIAL_IN_STEP: usize = 1 << 16;

/// Positions of a block.
pub(crate) const BLOCK: usize = 8;

/// The query heads of one task, and what they read and write.
pub(crate) struct Part<'a> {
    pub(crate) span: Span,
    pub(crate) shape: AttentionShape,
    /// `[heads of the task, head_dim]`.
    pub(crate) q: &'a [f32],
    pub(crate) keys: Rows<'a>,
    pub(crate) values: Rows<'a>,
    /// `[heads of the task, positions]`.
    pub(crate) scores: &'a mut [f32],
    /// As `q`.
    pub(crate) out: &'a mut [f32],
}

/// Divides the work among threads: the heads of one position by `run`, several positions in tiles by `run_tile`. Each
/// head of each position is computed by one thread.
///
/// # Panics
/// When a length does not fit the shape.
pub(crate) fn attention(
    q: &[f32],
    [k_cache, v_cache]: [&[f32]; 2],
    [k, v]: [&[f32]; 2],
    shape: AttentionShape,
    out: &mut [f32],
    ws: &mut Workspace,
    run: impl Fn(Part<'_>) + Sync,
    run_tile: impl Fn(Tile<'_>) + Sync,
) {
    let AttentionShape { heads, kv_heads, head_dim, .. } = shape;
    assert!(kv_heads > 0 && heads.is_multiple_of(kv_heads), "heads must be a multiple of kv_heads");
    let wide = heads.checked_mul(head_dim).filter(|&wide| wide > 0).expect("heads and head_dim above 0");
    let narrow = kv_heads * head_dim;
    let m = q.len() / wide;
    assert!(m > 0 && q.len() == m * wide && out.len() == q.len(), "q and out must be [m, heads, head_dim]");
    assert!(k.len() == m * narrow && v.len() == k.len(), "k and v must be [m, kv_heads, head_dim]");
    assert!(
        k_cache.len().is_multiple_of(narrow) && v_cache.len() == k_cache.len(),
        "caches must be whole rows"
    );
    let cached = k_cache.len() / narrow;
    let positions = cached + m;
    let keys = Rows { cache: k_cache, current: k, width: narrow };
    let values = Rows { cache: v_cache, current: v, width: narrow };
    let serial = if team::stands_by() { SERIAL_IN_STEP } else { SERIAL };
    let small = 2_usize.saturating_mul(positions).saturating_mul(q.len()) < serial;
    let threads = if small { 1 } else { rayon::current_num_threads() };
    if m > 1 {
        return tiles::attention(q, [keys, values], cached, shape, out, ws, threads, run_tile);
    }
    // Neighbours in one task, because they read one stretch of each key and value row.
    let share = heads.div_ceil(threads);
    let scores: &mut [f32] = ws.slice(heads.checked_mul(positions).expect("scores overflow"));
    let (out, scores) = (Chunks::new(out, share * head_dim), Chunks::new(scores, share * positions));
    team::for_each(heads.div_ceil(share), &|i| {
        // SAFETY: each task runs once and takes the chunks of its own number.
        let (out, scores) = unsafe { (out.get(i), scores.get(i)) };
        let span = Span { first: i * share, group: heads / kv_heads, head_dim, positions };
        let q = &q[span.first * head_dim..][..out.len()];
        run(Part { span, shape, q, keys, values, scores, out });
    });
}

/// The key or value rows of all positions: those of the cache, then the current ones.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    cache: &'a [f32],
    current: &'a [f32],
    /// Floats of a row.
    width: usize,
}

impl<'a> Rows<'a> {
    /// The row of position `p`.
    #[inline(always)]
    pub(crate) fn row(self, p: usize) -> &'a [f32] {
        let (n, at) = (self.width, p * self.width);
        self.cache.get(at..at + n).unwrap_or_else(|| &self.current[at - self.cache.len()..][..n])
    }
}

/// The query heads of a task, and how they lie.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    /// The first head.
    pub(crate) first: usize,
    /// Heads that share a key head.
    pub(crate) group: usize,
    pub(crate) head_dim: usize,
    pub(crate) positions: usize,
}

impl Span {
    /// The key head that the task's head `h` reads.
    #[inline(always)]
    pub(crate) fn key_head(self, h: usize) -> usize {
        (self.first + h) / self.group
    }

    /// The part of a key or value row that the task's head `h` reads.
    #[inline(always)]
    pub(crate) fn part(self, row: &[f32], h: usize) -> &[f32] {
        &row[self.key_head(h) * self.head_dim..][..self.head_dim]
    }

    /// All positions in order, in blocks whose rows stay in cache while one head after another reads them.
    #[inline(always)]
    pub(crate) fn blocks(self) -> impl Iterator<Item = Range<usize>> {
        (0..self.positions).step_by(BLOCK).map(move |p| p..self.positions.min(p + BLOCK))
    }
}

/// Caps the scores if the shape says so, and replaces those of each head by their softmax.
#[inline(always)]
pub(crate) fn weights(scores: &mut [f32], positions: usize, softcap: Option<f32>) {
    if let Some(cap) = softcap.filter(|cap| *cap > 0.0 && cap.is_finite()) {
        scores.iter_mut().for_each(|score| *score = cap * (*score / cap).tanh());
    }
    for scores in scores.chunks_exact_mut(positions) {
        let max = math::max(scores);
        for score in scores.iter_mut() {
            *score = math::exp(*score - max);
        }
        let total = math::sum(scores, f64::from) as f32;
        for score in scores {
            *score /= total;
        }
    }
}
