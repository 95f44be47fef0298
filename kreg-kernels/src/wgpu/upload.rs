//! Bytes from the host into a new buffer: weights as they lie in a file, and shapes.

use ::wgpu::{Buffer, BufferDescriptor, BufferUsages, MapRangeError};

use super::catch::{catch, refusal};
use super::device::Device;
use crate::refusal::Refusal;

impl Device {
    /// A new buffer with these bytes, as they lie in the file, and zeros up to a multiple of 4. Weights are bound to
    /// `buffer.slice(..)`. Usages: `STORAGE`, `COPY_SRC`, `COPY_DST`.
    ///
    /// The bytes arrive before anything that is submitted afterwards runs; until the caller's next submission the driver
    /// holds them twice.
    ///
    /// # Errors
    /// [`Refusal::Empty`] without bytes, [`Refusal::TooLarge`] past the device's `max_buffer_size`, [`Refusal::Driver`]
    /// when wgpu reports an error, such as that memory ran out, [`Refusal::Lost`] on a device that is gone.
    pub fn upload(&self, bytes: &[u8]) -> Result<Buffer, Refusal> {
        let (what, size) = ("bytes to upload", (bytes.len() as u64).next_multiple_of(4));
        if bytes.is_empty() {
            return Err(Refusal::Empty { what });
        }
        let limit = self.limits().max_buffer_size;
        if size > limit {
            return Err(Refusal::TooLarge { what, limit, got: size });
        }
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        filled(self.wgpu(), "uploading weights", "kreg weights", usage, size, bytes)
    }
}

/// A new buffer of `size` bytes, a multiple of 4: these, and zeros. It is mapped when it is made, so that no queue is
/// needed.
pub(super) fn filled(
    device: &::wgpu::Device,
    what: &'static str,
    label: &'static str,
    usage: BufferUsages,
    size: u64,
    bytes: &[u8],
) -> Result<Buffer, Refusal> {
    let filled = catch(device, what, "", || {
        let label = Some(label);
        let buffer = device.create_buffer(&BufferDescriptor { label, size, usage, mapped_at_creation: true });
        // It has no mapping where it could not be made.
        buffer.get_mapped_range_mut(..)?.slice(..bytes.len()).copy_from_slice(bytes);
        buffer.unmap();
        Ok(buffer)
    })?;
    filled.map_err(|error: MapRangeError| refusal(what, "", &error))
}
