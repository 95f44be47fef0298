//! A reproducible draw from logits that were copied to the host.

use crate::args::SampleRng;
use crate::cpu::{check, portable};
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// The next token, drawn with the caller's generator: [the CPU's kernel](fn@portable::sample::seeded::seeded).
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Domain`]; the generator has not advanced then.
pub fn host_seeded(
    logits: &[f32],
    temperature: f32,
    top_k: usize,
    top_p: f32,
    rng: &mut SampleRng,
    ws: &mut Workspace,
) -> Result<u32, Refusal> {
    check::sample::seeded(logits, temperature, top_k, top_p, rng)?;
    Ok(portable::sample::seeded::seeded(logits, temperature, top_k, top_p, rng, ws))
}
