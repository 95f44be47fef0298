//! Weight bytes whose length and shape have been checked, once.

use std::marker::PhantomData;

use crate::format::{Format, Storage};
use crate::refusal::Refusal;

/// A borrowed row-major weight matrix `[rows, cols]` in format `F`, at any address.
///
/// A value of this type is the proof that `bytes` holds exactly the blocks that the shape implies, so kernels read
/// it without further checks.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'w, F: Format> {
    bytes: &'w [u8],
    rows: usize,
    cols: usize,
    format: PhantomData<F>,
}

impl<'w, F: Format> Matrix<'w, F> {
    /// Checks `bytes` against the shape: `rows` outputs, `cols` inputs, nothing short and nothing over.
    ///
    /// # Errors
    /// [`Refusal::Empty`] for a zero dimension, [`Refusal::Multiple`] when `cols` is not a whole number of blocks,
    /// [`Refusal::TooLarge`] when the size does not fit the address space, [`Refusal::Length`] for any other length.
    pub fn new(bytes: &'w [u8], rows: usize, cols: usize) -> Result<Self, Refusal> {
        let expected = byte_len::<F>(rows, cols)?;
        if bytes.len() != expected {
            return Err(Refusal::Length {
                what: "weight bytes",
                expected: expected as u64,
                got: bytes.len() as u64,
            });
        }
        Ok(Self { bytes, rows, cols, format: PhantomData })
    }

    /// Number of outputs (GGUF `ne1`).
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of inputs, K (GGUF `ne0`).
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All bytes, the header of a flat format included.
    pub fn bytes(&self) -> &'w [u8] {
        self.bytes
    }

    /// All blocks in order, without the header of a flat format.
    pub fn blocks(&self) -> &'w [F::Block] {
        let header = match F::STORAGE {
            Storage::Rows => 0,
            Storage::Flat { header } => header,
        };
        bytemuck::cast_slice(&self.bytes[header..])
    }

    /// Blocks of row `r`.
    ///
    /// # Panics
    /// When `r >= rows`, or for a flat format, whose rows are not whole blocks.
    pub fn row(&self, r: usize) -> &'w [F::Block] {
        assert!(matches!(F::STORAGE, Storage::Rows), "{} has no row blocks", F::NAME);
        let n = self.cols / F::ELEMS;
        &self.blocks()[r * n..(r + 1) * n]
    }
}

/// The byte length of a `[rows, cols]` matrix in format `F`.
///
/// # Errors
/// As [`Matrix::new`], without [`Refusal::Length`].
pub fn byte_len<F: Format>(rows: usize, cols: usize) -> Result<usize, Refusal> {
    if rows == 0 {
        return Err(Refusal::Empty { what: "rows" });
    }
    if cols == 0 {
        return Err(Refusal::Empty { what: "cols" });
    }
    let too_large = Refusal::TooLarge { what: "weight bytes", limit: isize::MAX as u64, got: u64::MAX };
    let total = match F::STORAGE {
        Storage::Rows if !cols.is_multiple_of(F::ELEMS) => {
            return Err(Refusal::Multiple { what: "cols", of: F::ELEMS as u64, got: cols as u64 });
        }
        Storage::Rows => (cols / F::ELEMS).checked_mul(F::BYTES).and_then(|row| row.checked_mul(rows)),
        Storage::Flat { header } => rows
            .checked_mul(cols)
            .and_then(|n| n.div_ceil(F::ELEMS).checked_mul(F::BYTES))
            .and_then(|n| n.checked_add(header)),
    };
    total.filter(|&n| n <= isize::MAX as usize).ok_or(too_large)
}

/// A [`Matrix`] whose format is known at run time only: what a selector's function pointer takes.
#[derive(Clone, Copy, Debug)]
pub struct RawMatrix<'w> {
    bytes: &'w [u8],
    rows: usize,
    cols: usize,
    format: &'static str,
}

impl<'w> RawMatrix<'w> {
    /// Number of outputs.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of inputs, K.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The format's name.
    pub fn format(&self) -> &'static str {
        self.format
    }

    /// Back to the typed view.
    ///
    /// # Errors
    /// [`Refusal::FormatMismatch`] when the matrix was checked as another format.
    pub fn typed<F: Format>(self) -> Result<Matrix<'w, F>, Refusal> {
        // Same static string in the same program: the pointer settles it, the text decides the rest.
        if !std::ptr::eq(self.format, F::NAME) && self.format != F::NAME {
            return Err(Refusal::FormatMismatch { expected: F::NAME, got: self.format });
        }
        Ok(Matrix { bytes: self.bytes, rows: self.rows, cols: self.cols, format: PhantomData })
    }
}

impl<'w, F: Format> From<Matrix<'w, F>> for RawMatrix<'w> {
    fn from(m: Matrix<'w, F>) -> Self {
        Self { bytes: m.bytes, rows: m.rows, cols: m.cols, format: F::NAME }
    }
}
