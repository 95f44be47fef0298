//! The next token from logits.

use kreg::args::SampleRng;
use kreg::cpu::{self, Device};
use kreg::{Refusal, Trace, Workspace};

/// How tokens are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Divides the logits; 0 takes the largest.
    pub temperature: f32,
    /// Keep that many of the largest logits; 0 keeps all, 1 takes the largest.
    pub top_k: usize,
    /// Keep the most probable tokens up to this cumulative probability; 1 keeps all.
    pub top_p: f32,
    /// Seed of the generator: the same seed, model and prompt give the same text.
    pub seed: u64,
    /// Weakens tokens that occurred among the last `repeat_last_n`; 1 is off.
    pub repeat_penalty: f32,
    /// How far back `repeat_penalty` looks.
    pub repeat_last_n: usize,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { temperature: 0.0, top_k: 0, top_p: 1.0, seed: 42, repeat_penalty: 1.0, repeat_last_n: 64 }
    }
}

/// Chooses tokens of one text.
pub struct Sampler {
    settings: Sampling,
    device: Device,
    rng: SampleRng,
    ws: Workspace,
    trace: Trace,
}

impl Sampler {
    /// The sampler of one text.
    pub fn new(settings: Sampling, device: Device) -> Self {
        let rng = SampleRng::new(settings.seed);
        Self { settings, device, rng, ws: Workspace::new(), trace: Trace::default() }
    }

    /// The token that follows `context`. Penalises `logits` in place.
    ///
    /// # Errors
    /// [`Refusal::Domain`] for settings outside the formula: a negative or NaN temperature, a NaN `top_p`, a penalty
    /// that is not above zero.
    pub fn next(&mut self, logits: &mut [f32], context: &[u32]) -> Result<u32, Refusal> {
        let Sampling { temperature, top_k, top_p, repeat_penalty, repeat_last_n, .. } = self.settings;
        if repeat_penalty != 1.0 {
            let ws = &mut self.ws;
            let id = cpu::repeat_penalty(&self.device, logits, context, repeat_last_n, repeat_penalty, ws)?;
            self.trace.record(id);
        }
        let (token, id) = if temperature == 0.0 || top_k == 1 {
            cpu::argmax(&self.device, logits)?
        } else {
            let (rng, ws) = (&mut self.rng, &mut self.ws);
            cpu::sample::seeded(&self.device, logits, temperature, top_k, top_p, rng, ws)?
        };
        self.trace.record(id);
        Ok(token)
    }

    /// The kernels that have run so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}
