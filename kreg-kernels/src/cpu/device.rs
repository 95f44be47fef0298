//! The CPU as a device handle.

use crate::refusal::Refusal;
use crate::target::Target;

/// The proof that every feature of a [`Target`] was found on this process's CPU. Whoever holds one may call kernels
/// that need those features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    target: Target,
}

impl Device {
    /// This CPU with everything it has, unless `KREG_ISA` restricts it.
    ///
    /// # Errors
    /// As [`Target::host`].
    pub fn host() -> Result<Self, Refusal> {
        Ok(Self { target: Target::host()? })
    }

    /// This CPU as `target` describes it, to force a level or exact activations.
    ///
    /// # Errors
    /// [`Refusal::MissingFeatures`] when the target is another architecture or names a feature that this CPU lacks.
    pub fn new(target: Target) -> Result<Self, Refusal> {
        let found = Target::detected();
        if target.arch() != "any" && target.arch() != found.arch() {
            return Err(Refusal::MissingFeatures { missing: target.arch().into() });
        }
        let missing = target.features().difference(found.features());
        if !missing.is_empty() {
            return Err(Refusal::MissingFeatures { missing: missing.to_string() });
        }
        Ok(Self { target })
    }

    /// What this device may run.
    pub const fn target(&self) -> &Target {
        &self.target
    }
}
