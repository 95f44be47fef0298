//! Making tokens of the recent context less likely, in logits that were copied to the host.

use crate::cpu::{check, portable};
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// Penalises, once, each distinct token among the last `last_n` of `context`:
/// [the CPU's kernel](fn@portable::repeat_penalty::repeat_penalty).
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::Domain`]; nothing has been written then.
pub fn host(
    logits: &mut [f32],
    context: &[u32],
    last_n: usize,
    penalty: f32,
    ws: &mut Workspace,
) -> Result<(), Refusal> {
    check::repeat_penalty(logits, context, last_n, penalty)?;
    portable::repeat_penalty::repeat_penalty(logits, context, last_n, penalty, ws);
    Ok(())
}
