//! The index of the largest of logits that were copied to the host.

use crate::cpu::{check, portable};
use crate::refusal::Refusal;

/// The lowest index among the largest values of `x`: [the CPU's kernel](fn@portable::argmax::argmax).
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`].
pub fn host(x: &[f32]) -> Result<u32, Refusal> {
    check::argmax(x)?;
    Ok(portable::argmax::argmax(x))
}
