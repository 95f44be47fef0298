//! One row measured, whatever it computes.

use kreg::cpu::Device;
use kreg::kernels::reference::Verdict;
use kreg_codegen::model::Row;
use serde_json::Value;

use super::project::Project;
use super::{ops, product};

/// What was found.
pub(crate) struct Measured {
    /// Outputs against the bound of the row's error model, at the row's precision.
    pub(crate) verdict: Verdict,
    /// Outputs against exact arithmetic on the inputs as given.
    pub(crate) served: Verdict,
    /// Whether the row quantises or rounds its activations, so that the two differ.
    pub(crate) coarse: bool,
    /// Kind of oracle.
    pub(crate) oracle: &'static str,
    /// The oracle in full: formula, or files with their digests.
    pub(crate) identity: String,
    /// Shapes, seeds and numbers of trials.
    pub(crate) workload: Value,
    /// Where an oracle's files lie and what is in them.
    pub(crate) fixture: Value,
}

/// Measures a row on the device on which it is selected.
///
/// # Errors
/// Why nothing may be registered: an undefined bound, a result outside its bound, or another precision than declared.
pub(crate) fn row(project: &Project, row: &Row, device: &Device) -> Result<Measured, String> {
    let measured = match &row.weight {
        Some(weight) => product::measure(project, row, &weight.qtype, device)?,
        None => ops::measure(row, device)?,
    };
    measured.verdict.pass().map_err(|failure| format!("{} is not met: {failure}", row.error_model))?;
    Ok(measured)
}
