//! Attention of several positions at once, each of which sees those before it and itself.

use super::{Part, Rows, Span};
use crate::args::AttentionShape;
use crate::cpu::split::Chunks;
use crate::cpu::team;
use crate::workspace::Workspace;

/// Positions of a tile: every key and value row that comes from far is used for so many queries of each head.
const TOKENS: usize = 8;

/// Tasks of a thread: later positions see more than earlier ones, so equal shares would not be equal work.
const TASKS: usize = 4;

/// Neighbouring positions, all heads.
pub(crate) struct Tile<'a> {
    pub(crate) shape: AttentionShape,
    /// Positions before the tile's first.
    pub(crate) past: usize,
    /// `[positions of the tile, heads, head_dim]`.
    pub(crate) q: &'a [f32],
    pub(crate) keys: Rows<'a>,
    pub(crate) values: Rows<'a>,
    /// Room for all scores of one position, and for those of the tile's queries that share a key head.
    pub(crate) scores: &'a mut [f32],
    /// As `q`.
    pub(crate) out: &'a mut [f32],
}

impl Tile<'_> {
    /// One position after the other.
    pub(crate) fn each(self, run: impl Fn(Part<'_>)) {
        let AttentionShape { heads, kv_heads, head_dim, .. } = self.shape;
        let wide = heads * head_dim;
        for (t, (q, out)) in self.q.chunks_exact(wide).zip(self.out.chunks_exact_mut(wide)).enumerate() {
            let span = Span { first: 0, group: heads / kv_heads, head_dim, positions: self.past + t + 1 };
            let scores = &mut self.scores[..heads * span.positions];
            run(Part { span, shape: self.shape, q, keys: self.keys, values: self.values, scores, out });
        }
    }
}

/// Divides the positions among at most `threads` threads and calls `run` for tiles of them. `q` and `out` are `[m, heads,
/// head_dim]`; the first position sees `past` others.
pub(super) fn attention(
    q: &[f32],
    [keys, values]: [Rows<'_>; 2],
    past: usize,
    shape: AttentionShape,
    out: &mut [f32],
    ws: &mut Workspace,
    threads: usize,
    run: impl Fn(Tile<'_>) + Sync,
) {
    let wide = shape.heads * shape.head_dim;
    let m = q.len() / wide;
    let tile = TOKENS.min(m.div_ceil(threads));
    let share = m.div_ceil(if threads == 1 { 1 } else { TASKS * threads }).next_multiple_of(tile);
    let tasks = m.div_ceil(share);
    let rows = shape.heads.max(shape.heads / shape.kv_heads * tile);
    let room = rows.checked_mul(past + m).expect("scores overflow");
    let scores: &mut [f32] = ws.slice(room.checked_mul(tasks).expect("scores overflow"));
    let (out, scores) = (Chunks::new(out, share * wide), Chunks::new(scores, room));
    team::for_each(tasks, &|i| {
        // The longest first, so that a short one is the last that others wait for.
        let task = tasks - 1 - i;
        // SAFETY: each task runs once and takes the chunks of its own number.
        let (out, scores) = unsafe { (out.get(task), scores.get(task)) };
        for (t, out) in out.chunks_mut(tile * wide).enumerate() {
            let first = task * share + t * tile;
            let q = &q[first * wide..][..out.len()];
            run(Tile { shape, past: past + first, q, keys, values, scores, out });
        }
    });
}
