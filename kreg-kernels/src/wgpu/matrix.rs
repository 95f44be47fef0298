//! Weight bytes in a device buffer, whose length, place and shape have been checked.

use std::marker::PhantomData;

use ::wgpu::{BufferSlice, BufferUsages};

use crate::format::{Format, Storage};
use crate::matrix::byte_len;
use crate::refusal::Refusal;

/// Bytes that the start of a matrix in its buffer must be a multiple of: GGUF aligns tensors to 32.
const ALIGN: u64 = 16;

/// A row-major weight matrix `[rows, cols]` in format `F`, in a buffer of the caller's.
///
/// A value of this type is the proof that the slice holds exactly the blocks that the shape implies, that kernels may
/// read the words that they lie in, and that shape and sizes fit 32 bits where WGSL counts.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'b, F: Format> {
    pub(super) slice: BufferSlice<'b>,
    pub(super) rows: u32,
    pub(super) cols: u32,
    format: PhantomData<F>,
}

impl<'b, F: Format> Matrix<'b, F> {
    /// Checks a slice of a buffer against the shape: `rows` outputs, `cols` inputs.
    ///
    /// The slice holds the tensor's bytes as they lie in the file, starting at a multiple of 16 bytes, and may end with
    /// the up to three bytes of padding that make its length a multiple of 4. WGSL reads words of four bytes: where the
    /// slice ends inside one, the buffer must go on to its end. [`Device::upload`](super::Device::upload) makes such a
    /// buffer.
    ///
    /// # Errors
    /// [`Refusal::Empty`], [`Refusal::Multiple`] or [`Refusal::TooLarge`] for the shape, [`Refusal::Length`] for another
    /// number of bytes, [`Refusal::Multiple`] for where it starts, [`Refusal::BufferUsage`] without `STORAGE`.
    pub fn new(slice: BufferSlice<'b>, rows: usize, cols: usize) -> Result<Self, Refusal> {
        let bytes = byte_len::<F>(rows, cols)? as u64;
        let padded = bytes.next_multiple_of(4);
        if slice.size() != bytes && slice.size() != padded {
            return Err(Refusal::Length { what: "weight bytes", expected: bytes, got: slice.size() });
        }
        if !slice.offset().is_multiple_of(ALIGN) {
            let what = "offset of the weights in their buffer";
            return Err(Refusal::Multiple { what, of: ALIGN, got: slice.offset() });
        }
        if slice.offset() + padded > slice.buffer().size() {
            let what = "bytes of the weights' buffer, whole words of 4";
            return Err(Refusal::Length {
                what,
                expected: slice.offset() + padded,
                got: slice.buffer().size(),
            });
        }
        storage("weights", slice)?;
        let (rows, cols) = (narrow("rows", rows)?, narrow("cols", cols)?);
        Ok(Self { slice, rows, cols, format: PhantomData })
    }

    /// Number of outputs (GGUF `ne1`).
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// Number of inputs, K (GGUF `ne0`).
    pub fn cols(&self) -> usize {
        self.cols as usize
    }

    /// Blocks of a row, and their bytes.
    pub(super) fn row(&self) -> (u32, u64) {
        // Every kernel here is of a type whose rows are whole blocks; `byte_len` has refused others' shapes.
        debug_assert!(matches!(F::STORAGE, Storage::Rows));
        let blocks = self.cols / F::ELEMS as u32;
        (blocks, u64::from(blocks) * F::BYTES as u64)
    }
}

/// A count as WGSL counts.
fn narrow(what: &'static str, n: usize) -> Result<u32, Refusal> {
    u32::try_from(n).map_err(|_| Refusal::TooLarge { what, limit: u32::MAX.into(), got: n as u64 })
}

/// Refuses a buffer that cannot be bound.
pub(super) fn storage(what: &'static str, slice: BufferSlice<'_>) -> Result<(), Refusal> {
    if slice.buffer().usage().contains(BufferUsages::STORAGE) {
        return Ok(());
    }
    Err(Refusal::BufferUsage { what, need: "STORAGE" })
}
