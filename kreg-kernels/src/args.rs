//! Argument types that ops need beyond slices and numbers.

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Which elements of a head are rotated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RopeStyle {
    /// Pairs `(2i, 2i + 1)`, as Llama's GGUF files are laid out.
    Adjacent,
    /// Pairs `(i, i + head_dim / 2)`, as in GPT-NeoX, Qwen and Phi.
    Neox,
}

/// The shape and the constants of one attention step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionShape {
    /// Query heads.
    pub heads: usize,
    /// Key and value heads; `heads` is a multiple of it. Query head `h` reads key head `h / (heads / kv_heads)`.
    pub kv_heads: usize,
    /// Elements of one head.
    pub head_dim: usize,
    /// Factor on each score, `1 / sqrt(head_dim)` in most models.
    pub scale: f32,
    /// Scores become `cap * tanh(score / cap)`. There is no cap unless it is finite and above zero.
    pub softcap: Option<f32>,
}

/// The generator of seeded sampling: ChaCha12, seeded and read as rand 0.9's `StdRng` is, so that a seed means the
/// same text wherever that generator is used. Make one per generated text; each sampled token advances it once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleRng(ChaCha12Rng);

impl SampleRng {
    /// The generator of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha12Rng::seed_from_u64(seed))
    }

    /// The next number of the sequence, uniform in `[0, 1)`: the top 24 bits of 32 times `2^-24`.
    pub fn next_f32(&mut self) -> f32 {
        (self.0.next_u32() >> 8) as f32 / (1 << 24) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_std_rng() {
        let first = |seed, n| {
            let mut rng = SampleRng::new(seed);
            (0..n).map(|_| (rng.next_f32() * (1 << 24) as f32) as u32).collect::<Vec<_>>()
        };
        assert_eq!(first(42, 6), [2238244, 8834167, 4173137, 9105418, 14569780, 10678112]);
        let mut zero = SampleRng::new(0);
        assert_eq!([zero.next_f32(), zero.next_f32()], [0.80145925, 0.7311134]);
        let mut seven = SampleRng::new(7);
        assert_eq!([seven.next_f32(), seven.next_f32()], [0.41664094, 0.030317307]);
    }
}
