//! A position in a sequence.

use cudarc::driver::CudaView;

use super::device::Device;
use super::launch::{Arg, Pointer};
use crate::refusal::Refusal;

/// Where in a sequence a kernel works.
///
/// A decode step that is captured in a graph reads its position from device memory: the graph is replayed after the
/// caller has written the next one there.
#[derive(Clone, Copy, Debug)]
pub enum Position<'a> {
    /// Known to the host, and checked by it.
    Value(usize),
    /// The first element of this view, read and checked by the kernel. One that is out of range leaves everything as it
    /// was and sets the device's fault word: see [`Device::fault`].
    At(&'a CudaView<'a, u32>),
}

/// The first position that no kernel can take.
pub(super) const POSITIONS: usize = u32::MAX as usize;

/// A position as a kernel takes it: a value, and an address that is null when the value counts.
#[derive(Debug)]
pub struct BoundPosition<'a> {
    value: u32,
    at: Option<Pointer<'a>>,
}

impl<'a> Position<'a> {
    /// Checks the position against the first that is too large, as far as the host can.
    ///
    /// # Errors
    /// [`Refusal::OutOfRange`] for a value of `limit` or more, [`Refusal::Empty`] for a view without an element,
    /// [`Refusal::OtherContext`] for one of another context.
    pub fn bind(
        self,
        device: &'a Device,
        what: &'static str,
        limit: usize,
    ) -> Result<BoundPosition<'a>, Refusal> {
        match self {
            Self::Value(pos) => match u32::try_from(pos) {
                Ok(value) if pos < limit => Ok(BoundPosition { value, at: None }),
                _ => Err(Refusal::OutOfRange { what, limit: limit as u64, got: pos as u64 }),
            },
            Self::At(view) if view.is_empty() => Err(Refusal::Empty { what }),
            Self::At(view) => Ok(BoundPosition { value: 0, at: Some(device.read(what, view)?) }),
        }
    }
}

impl BoundPosition<'_> {
    /// The kernel's two arguments: `u32 value, const u32 *at`.
    pub fn args(&self) -> [Arg; 2] {
        [self.value.into(), self.at.as_ref().map_or(Arg::NULL, Pointer::arg)]
    }
}
