//! Tensor entries: what the header says of them, and where their bytes lie.

use crate::cursor::Cursor;
use crate::error::Error;

/// Smallest entry: an empty name (8 bytes), a dimension count (4), a type (4), an offset (8).
const SMALLEST: u64 = 24;
/// The most dimensions that a GGML tensor has.
const MAX_DIMS: u32 = 4;

/// One tensor as the header describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor<'b> {
    /// Name in the file.
    pub name: &'b str,
    /// GGML's type id, whether or not anybody knows it.
    pub ggml_type: u32,
    /// Dimensions in GGML's order: the first is contiguous.
    pub dims: Vec<u64>,
    /// Bytes from this tensor's start to the next tensor's start, or to the end of the file: the tensor itself and
    /// the padding behind it. Its own length follows from its type, which this crate does not know.
    pub data: &'b [u8],
}

impl<'b> Tensor<'b> {
    /// Length of a row (GGUF `ne0`), 1 for a scalar.
    pub fn cols(&self) -> u64 {
        self.dims.first().copied().unwrap_or(1)
    }

    /// Number of rows: the product of the other dimensions.
    pub fn rows(&self) -> u64 {
        self.dims.iter().skip(1).product()
    }

    /// The first `len` bytes of the data.
    ///
    /// # Errors
    /// [`Error::Short`] when the file ends, or the next tensor begins, before that.
    pub fn bytes(&self, len: usize) -> Result<&'b [u8], Error> {
        let short =
            || Error::Short { tensor: self.name.into(), need: len as u64, found: self.data.len() as u64 };
        self.data.get(..len).ok_or_else(short)
    }

    /// The values of an f32 tensor.
    ///
    /// # Errors
    /// [`Error::TensorType`] when the type is another, [`Error::Short`] when bytes are missing.
    pub fn f32s(&self) -> Result<Vec<f32>, Error> {
        self.values(0, f32::from_le_bytes)
    }

    /// The values of an f64 tensor.
    ///
    /// # Errors
    /// As [`Tensor::f32s`].
    pub fn f64s(&self) -> Result<Vec<f64>, Error> {
        self.values(28, f64::from_le_bytes)
    }

    fn values<T, const N: usize>(&self, want: u32, get: fn([u8; N]) -> T) -> Result<Vec<T>, Error> {
        if self.ggml_type != want {
            return Err(Error::TensorType { tensor: self.name.into(), want, found: self.ggml_type });
        }
        let len = usize::try_from(self.cols() * self.rows()).unwrap_or(usize::MAX).saturating_mul(N);
        Ok(self.bytes(len)?.as_chunks().0.iter().copied().map(get).collect())
    }
}

/// A tensor's entry in the header.
pub(crate) struct Head<'b> {
    name: &'b str,
    dims: Vec<u64>,
    ggml_type: u32,
    offset: u64,
}

impl<'b> Head<'b> {
    /// Reads `count` entries.
    pub(crate) fn parse(cursor: &mut Cursor<'b>, count: u64) -> Result<Vec<Self>, Error> {
        let mut heads = Vec::with_capacity(cursor.capacity("tensors", count, SMALLEST)?);
        for _ in 0..count {
            heads.push(Self::one(cursor)?);
        }
        Ok(heads)
    }

    fn one(cursor: &mut Cursor<'b>) -> Result<Self, Error> {
        let name = cursor.text("tensor name")?;
        let count = cursor.u32("tensor dimensions")?;
        if count > MAX_DIMS {
            return Err(Error::Dimensions { tensor: name.into(), count });
        }
        let dims: Vec<u64> = (0..count).map(|_| cursor.u64("tensor dimension")).collect::<Result<_, _>>()?;
        if dims.iter().try_fold(1u64, |product, &n| product.checked_mul(n)).is_none_or(|n| n == 0) {
            return Err(Error::Shape { tensor: name.into(), dims });
        }
        let ggml_type = cursor.u32("tensor type")?;
        let offset = cursor.u64("tensor offset")?;
        Ok(Self { name, dims, ggml_type, offset })
    }
}

/// Checks every offset, and gives each tensor its bytes: up to the next larger offset in use.
pub(crate) fn place<'b>(
    heads: Vec<Head<'b>>,
    alignment: u64,
    data: &'b [u8],
) -> Result<Vec<Tensor<'b>>, Error> {
    let len = data.len() as u64;
    let mut starts: Vec<u64> = heads.iter().map(|h| h.offset).collect();
    starts.sort_unstable();
    heads
        .into_iter()
        .map(|Head { name, dims, ggml_type, offset }| {
            if offset % alignment != 0 || offset > len {
                return Err(Error::Offset { tensor: name.into(), offset, alignment, len });
            }
            let (first, next) =
                (starts.partition_point(|&s| s < offset), starts.partition_point(|&s| s <= offset));
            if next - first > 1 {
                return Err(Error::Overlap { tensor: name.into(), offset });
            }
            let end = starts.get(next).map_or(len, |&next| next.min(len));
            // Both fit: at most the length of `data`.
            Ok(Tensor { name, dims, ggml_type, data: &data[offset as usize..end as usize] })
        })
        .collect()
}
