//! Attention of one query position over a key/value cache.

use std::ops::Range;

use crate::args::AttentionShape;
use crate::cpu::split::Chunks;
use crate::cpu::{math, team};
use crate::workspace::Workspace;

/// Multiplications below this stay on the calling thread: they take less time than two wake-ups of a worker.
const SERIAL: usize = 1 << 19;

/// Positions of a block.
const BLOCK: usize = 8;

/// For each query head, the softmax-weighted sum of the values of all positions.
///
/// `q` and `out` are `[heads * head_dim]`; the caches are `[cache_len, kv_heads * head_dim]`, and `k` and `v`
/// (`[kv_heads * head_dim]`) are position `cache_len`, which the caches do not hold yet. Query head h reads key head
/// `h / (heads / kv_heads)`; its score at a position is `dot(q, k) * scale`, capped if the shape has a cap, and the
/// largest score is subtracted before the exponential. With an empty cache the only weight is 1 and `out` is `v`.
///
/// Heads are divided among threads. Each head is computed by one, in an order that does not depend on the heads beside
/// it, so the thread count changes no bit.
///
/// # Panics
/// When a length does not fit the shape.
pub fn attention(
    q: &[f32],
    k_cache: &[f32],
    v_cache: &[f32],
    k: &[f32],
    v: &[f32],
    shape: AttentionShape,
    out: &mut [f32],
    ws: &mut Workspace,
) {
    let AttentionShape { heads, kv_heads, head_dim, .. } = shape;
    assert!(kv_heads > 0 && heads.is_multiple_of(kv_heads), "heads must be a multiple of kv_heads");
    let (wide, narrow) = (heads.checked_mul(head_dim), kv_heads.checked_mul(head_dim));
    assert!(Some(q.len()) == wide && out.len() == q.len(), "q and out must be [heads, head_dim]");
    assert!(Some(k.len()) == narrow && v.len() == k.len(), "k and v must be [kv_heads, head_dim]");
    assert!(
        k_cache.len().is_multiple_of(k.len()) && v_cache.len() == k_cache.len(),
        "caches must be whole rows"
    );
    let positions = k_cache.len() / k.len() + 1;
    let (keys, values) = (Rows { cache: k_cache, current: k }, Rows { cache: v_cache, current: v });
    let group = heads / kv_heads;
    let threads = if 2 * positions * q.len() < SERIAL { 1 } else { rayon::current_num_threads() };
    // Neighbours in one task, because they read one stretch of each key and value row.
    let share = heads.div_ceil(threads);
    let task = |i: usize, out: &mut [f32], scores: &mut [f32]| {
        let span = Span { first: i * share, group, head_dim, positions };
        score(&q[span.first * head_dim..][..out.len()], keys, span, shape.scale, scores);
        if let Some(cap) = shape.softcap.filter(|cap| *cap > 0.0 && cap.is_finite()) {
            scores.iter_mut().for_each(|score| *score = cap * (*score / cap).tanh());
        }
        scores.chunks_exact_mut(positions).for_each(softmax);
        weighted_sum(scores, values, span, out);
    };
    let scores: &mut [f32] = ws.slice(heads.checked_mul(positions).expect("scores overflow"));
    let (out, scores) = (Chunks::new(out, share * head_dim), Chunks::new(scores, share * positions));
    team::for_each(heads.div_ceil(share), &|i| {
        // SAFETY: each task runs once and takes the chunks of its own number.
        let (out, scores) = unsafe { (out.get(i), scores.get(i)) };
        task(i, out, scores);
    });
}

/// The key or value rows of all positions: those of the cache, then the current one.
#[derive(Clone, Copy)]
struct Rows<'a> {
    cache: &'a [f32],
    current: &'a [f32],
}

impl<'a> Rows<'a> {
    /// The row of position `p`.
    fn row(self, p: usize) -> &'a [f32] {
        let n = self.current.len();
        self.cache.get(p * n..(p + 1) * n).unwrap_or(self.current)
    }
}

/// The query heads of a task, and how they lie.
#[derive(Clone, Copy)]
struct Span {
    /// The first head.
    first: usize,
    /// Heads that share a key head.
    group: usize,
    head_dim: usize,
    positions: usize,
}

impl Span {
    /// The part of a key or value row that the task's head `h` reads.
    fn part(self, row: &[f32], h: usize) -> &[f32] {
        &row[(self.first + h) / self.group * self.head_dim..][..self.head_dim]
    }

    /// All positions in order, in blocks whose rows stay in cache while one head after another reads them.
    fn blocks(self) -> impl Iterator<Item = Range<usize>> {
        (0..self.positions).step_by(BLOCK).map(move |p| p..self.positions.min(p + BLOCK))
    }
}

/// `scores[h][p] = dot(q[h], key) * scale`.
fn score(q: &[f32], keys: Rows<'_>, span: Span, scale: f32, scores: &mut [f32]) {
    for block in span.blocks() {
        for (h, q) in q.chunks_exact(span.head_dim).enumerate() {
            for p in block.clone() {
                scores[h * span.positions + p] = math::dot(q, span.part(keys.row(p), h)) * scale;
            }
        }
    }
}

/// Replaces the scores of one head by their softmax.
fn softmax(scores: &mut [f32]) {
    let max = math::max(scores);
    for score in scores.iter_mut() {
        *score = math::exp(*score - max);
    }
    let total = math::sum(scores, f64::from) as f32;
    for score in scores {
        *score /= total;
    }
}

/// `out[h] = sum of weights[h][p] * value`, positions ascending.
fn weighted_sum(weights: &[f32], values: Rows<'_>, span: Span, out: &mut [f32]) {
    // The neutral element of floating-point addition: it keeps the sign of a zero.
    out.fill(-0.0);
    for block in span.blocks() {
        for (h, out) in out.chunks_exact_mut(span.head_dim).enumerate() {
            for p in block.clone() {
                let weight = weights[h * span.positions + p];
                for (out, value) in out.iter_mut().zip(span.part(values.row(p), h)) {
                    *out += weight * value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::SampleRng;
    use crate::cpu::testing::{assert_close, uniform};

    /// Random arguments of one step.
    struct Case {
        shape: AttentionShape,
        q: Vec<f32>,
        k: Vec<f32>,
        v: Vec<f32>,
    }

    impl Case {
        /// `positions` of them, the last of which is the current one.
        fn new(heads: usize, kv_heads: usize, head_dim: usize, positions: usize) -> Self {
            let mut rng = SampleRng::new(7);
            let shape = AttentionShape { heads, kv_heads, head_dim, scale: 0.7, softcap: None };
            let n = positions * kv_heads * head_dim;
            let q = uniform(&mut rng, heads * head_dim).iter().map(|q| 4.0 * q).collect();
            Self { shape, q, k: uniform(&mut rng, n), v: uniform(&mut rng, n) }
        }

        fn run(&self) -> Vec<f32> {
            let kv_dim = self.shape.kv_heads * self.shape.head_dim;
            let (k_cache, k) = self.k.split_at(self.k.len() - kv_dim);
            let (v_cache, v) = self.v.split_at(self.v.len() - kv_dim);
            let mut out = vec![9.0; self.q.len()];
            attention(&self.q, k_cache, v_cache, k, v, self.shape, &mut out, &mut Workspace::new());
            out
        }

        /// The definition in f64.
        fn want(&self) -> Vec<f64> {
            let AttentionShape { heads, kv_heads, head_dim: d, scale, softcap } = self.shape;
            let mut out = vec![0.0; self.q.len()];
            for h in 0..heads {
                let at = |p: usize, e: usize| (p * kv_heads + h / (heads / kv_heads)) * d + e;
                let score = |p: usize| {
                    let dot: f64 =
                        (0..d).map(|e| f64::from(self.q[h * d + e]) * f64::from(self.k[at(p, e)])).sum();
                    let score = dot * f64::from(scale);
                    softcap.map_or(score, |cap| f64::from(cap) * (score / f64::from(cap)).tanh())
                };
                let positions = self.k.len() / (kv_heads * d);
                let weights: Vec<f64> = (0..positions).map(|p| score(p).exp()).collect();
                let total: f64 = weights.iter().sum();
                for e in 0..d {
                    let sum: f64 = (0..positions).map(|p| weights[p] * f64::from(self.v[at(p, e)])).sum();
                    out[h * d + e] = sum / total;
                }
            }
            out
        }
    }

    #[test]
    fn golden() {
        let shape = AttentionShape {
            heads: 2,
            kv_heads: 1,
            head_dim: 2,
            scale: std::f32::consts::FRAC_1_SQRT_2,
            softcap: None,
        };
        let mut case = Case { shape, q: vec![1.0, 0.0, 0.0, 2.0], k: vec![1.0, 1.0, 2.0, 0.0], v: vec![] };
        case.v = vec![1.0, 2.0, 3.0, 4.0];
        assert_close(&case.run(), &[2.3395231, 3.3395231, 1.39114063, 2.39114063], 1e-7);
    }

    #[test]
    fn agrees_with_the_definition() {
        for (heads, kv_heads, d, positions) in
            [(1, 1, 1, 2), (9, 3, 64, 33), (8, 8, 80, 5), (6, 2, 5, 100), (4, 1, 300, 7), (2, 1, 64, 4097)]
        {
            let case = Case::new(heads, kv_heads, d, positions);
            assert_close(&case.run(), &case.want(), 2e-6);
        }
    }

    #[test]
    fn an_empty_cache_gives_v() {
        let mut case = Case::new(6, 2, 5, 1);
        case.v[3] = -0.0;
        let want: Vec<u32> = (0..30).map(|i| case.v[i / 5 / 3 * 5 + i % 5].to_bits()).collect();
        assert_eq!(case.run().iter().map(|x| x.to_bits()).collect::<Vec<_>>(), want);
    }

    #[test]
    fn caps_scores() {
        let mut case = Case::new(4, 2, 16, 9);
        let plain = case.run();
        for off in [Some(0.0), Some(-1.0), Some(f32::INFINITY)] {
            case.shape.softcap = off;
            assert_eq!(case.run(), plain);
        }
        case.shape.softcap = Some(0.5);
        assert_close(&case.run(), &case.want(), 2e-6);
        assert!(case.run() != plain);
    }

    #[test]
    fn huge_scores_stay_finite() {
        let mut case = Case::new(2, 1, 4, 3);
        case.k = [[1e4; 4], [1e5; 4], [-1e5; 4]].concat();
        case.q = vec![1e3; 8];
        assert_eq!(case.run(), [&case.v[4..8], &case.v[4..8]].concat());
    }

    #[test]
    fn nan_reaches_the_heads_that_read_it() {
        let mut case = Case::new(4, 2, 8, 6);
        case.k[2 * 16] = f32::NAN;
        let out = case.run();
        assert!(out[..16].iter().all(|x| x.is_nan()) && out[16..].iter().all(|x| x.is_finite()));
        let mut case = Case::new(4, 2, 8, 6);
        case.v[2 * 16 + 8] = f32::NAN;
        let out = case.run();
        let places: Vec<usize> = (0..32).filter(|&i| out[i].is_nan()).collect();
        assert_eq!(places, [16, 24]);
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        for case in [Case::new(7, 7, 64, 700), Case::new(12, 2, 64, 400), Case::new(8, 1, 64, 600)] {
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| case.run()).iter().map(|x| x.to_bits()).collect::<Vec<_>>()
            };
            assert_eq!(run(1), run(2));
            assert_eq!(run(1), run(5));
        }
    }
}
