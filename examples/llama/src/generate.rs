//! A prompt, and what follows it.

use std::time::{Duration, Instant};

use crate::error::Error;
use crate::sampler::Sampler;
use crate::session::Session;

/// What a generation did, and how long it took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Tokens of the prompt, and the time until their logits were there.
    pub prompt: (usize, Duration),
    /// Tokens that were generated, and the time from then on.
    pub generated: (usize, Duration),
}

/// Feeds `prompt` to the session, then up to `n` chosen tokens, each told to `on_token` as it comes; stops early when
/// that returns false.
///
/// # Errors
/// As [`Session::feed`] and [`Sampler::next`], and what `on_token` returns.
pub fn generate(
    session: &mut Session<'_>,
    sampler: &mut Sampler,
    prompt: &[u32],
    n: usize,
    mut on_token: impl FnMut(u32) -> Result<bool, Error>,
) -> Result<Stats, Error> {
    let mut stats = Stats::default();
    let mut context = Vec::with_capacity(prompt.len() + n);
    context.extend(prompt);
    let start = Instant::now();
    let mut logits = session.feed(prompt)?;
    stats.prompt = (prompt.len(), start.elapsed());

    let start = Instant::now();
    for i in 0..n {
        let token = sampler.next(logits, &context)?;
        context.push(token);
        stats.generated.0 += 1;
        if !on_token(token)? || i + 1 == n {
            break;
        }
        logits = session.feed(&[token])?;
    }
    stats.generated.1 = start.elapsed();
    Ok(stats)
}
