//! Weight bytes in device memory whose length, shape and address have been checked, once.

use std::marker::PhantomData;

use cudarc::driver::CudaView;

use super::check;
use super::device::Device;
use super::launch::Pointer;
use crate::format::Format;
use crate::matrix::byte_len;
use crate::refusal::Refusal;

/// What the address of a matrix is a multiple of. Both the driver's allocations (256) and tensors in a GGUF file (32)
/// keep to it.
pub(super) const ALIGN: u64 = 16;

/// A borrowed row-major weight matrix `[rows, cols]` in format `F`, in device memory.
///
/// A value of this type is the proof that the bytes hold exactly the blocks that the shape implies, and that rows and
/// columns fit 32 bits.
#[derive(Debug)]
pub struct Matrix<'w, F: Format> {
    raw: RawMatrix<'w>,
    format: PhantomData<F>,
}

impl<'w, F: Format> Matrix<'w, F> {
    /// Checks `bytes` against the shape: `rows` outputs, `cols` inputs, nothing short and nothing over.
    ///
    /// # Errors
    /// [`Refusal::Empty`], [`Refusal::Multiple`], [`Refusal::TooLarge`] and [`Refusal::Length`] as
    /// [`Matrix::new`](crate::Matrix::new); [`Refusal::TooLarge`] also for rows or columns of more than 31 bits;
    /// [`Refusal::OtherContext`], [`Refusal::Misaligned`].
    pub fn new(device: &Device, bytes: CudaView<'w, u8>, rows: usize, cols: usize) -> Result<Self, Refusal> {
        let expected = byte_len::<F>(rows, cols)?;
        let (rows, cols) = (check::index("rows", rows)?, check::index("cols", cols)?);
        check::length("weight bytes", expected, bytes.len())?;
        let address = device.read("weight bytes", &bytes)?.address();
        if !address.is_multiple_of(ALIGN) {
            return Err(Refusal::Misaligned { what: "weight bytes", need: ALIGN, address });
        }
        Ok(Self { raw: RawMatrix { bytes, rows, cols, format: F::NAME }, format: PhantomData })
    }

    /// Number of outputs (GGUF `ne1`).
    pub fn rows(&self) -> u32 {
        self.raw.rows
    }

    /// Number of inputs, K (GGUF `ne0`).
    pub fn cols(&self) -> u32 {
        self.raw.cols
    }

    /// The bytes, for a launch.
    ///
    /// # Errors
    /// [`Refusal::OtherContext`] on a device of another context than the one that checked them.
    pub fn bytes(&self, device: &'w Device) -> Result<Pointer<'_>, Refusal> {
        device.read("weight bytes", &self.raw.bytes)
    }
}

/// A [`Matrix`] whose format is known at run time only: what a bound weight holds.
#[derive(Debug)]
pub struct RawMatrix<'w> {
    bytes: CudaView<'w, u8>,
    rows: u32,
    cols: u32,
    format: &'static str,
}

impl<'w> RawMatrix<'w> {
    /// Number of outputs.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// Number of inputs, K.
    pub fn cols(&self) -> usize {
        self.cols as usize
    }

    /// Back to the typed view.
    ///
    /// # Errors
    /// [`Refusal::FormatMismatch`] when the matrix was checked as another format.
    pub fn typed<F: Format>(&self) -> Result<Matrix<'_, F>, Refusal> {
        if !std::ptr::eq(self.format, F::NAME) && self.format != F::NAME {
            return Err(Refusal::FormatMismatch { expected: F::NAME, got: self.format });
        }
        let Self { bytes, rows, cols, format } = self;
        let raw = RawMatrix { bytes: bytes.slice(..), rows: *rows, cols: *cols, format };
        Ok(Matrix { raw, format: PhantomData })
    }
}

impl<'w, F: Format> From<Matrix<'w, F>> for RawMatrix<'w> {
    fn from(m: Matrix<'w, F>) -> Self {
        m.raw
    }
}
