//! Reads the header of a GGUF file (versions 2 and 3, little-endian) and borrows everything from its bytes.
//!
//! The published readers map a tensor's type to a closed list and stop at the first id that they do not know. kreg's
//! point is to answer for every id by name, so here an id stays the number that the file holds.
//!
//! ```no_run
//! let bytes = std::fs::read("model.gguf")?;
//! let file = gguf_file::File::parse(&bytes)?;
//! for tensor in &file.tensors {
//!     println!("{} type {} {:?}", tensor.name, tensor.ggml_type, tensor.dims);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cursor;
mod value;

use std::collections::BTreeMap;
use std::fmt;

use cursor::Cursor;
pub use value::Value;

/// One tensor as the header describes it.
#[derive(Clone, Debug)]
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
    /// [`Error`] when the file holds fewer.
    pub fn bytes(&self, len: usize) -> Result<&'b [u8], Error> {
        let short = || Error(format!("{}: {len} bytes expected, {} in the file", self.name, self.data.len()));
        self.data.get(..len).ok_or_else(short)
    }

    /// The values of an f32 tensor.
    ///
    /// # Errors
    /// [`Error`] when the type is another or bytes are missing.
    pub fn f32s(&self) -> Result<Vec<f32>, Error> {
        self.values(0, f32::from_le_bytes)
    }

    /// The values of an f64 tensor.
    ///
    /// # Errors
    /// [`Error`] when the type is another or bytes are missing.
    pub fn f64s(&self) -> Result<Vec<f64>, Error> {
        self.values(28, f64::from_le_bytes)
    }

    fn values<T, const N: usize>(&self, ggml_type: u32, get: fn([u8; N]) -> T) -> Result<Vec<T>, Error> {
        if self.ggml_type != ggml_type {
            return Err(Error(format!("{}: type {ggml_type} expected, not {}", self.name, self.ggml_type)));
        }
        let len = usize::try_from(self.cols() * self.rows()).unwrap_or(usize::MAX).saturating_mul(N);
        Ok(self.bytes(len)?.as_chunks().0.iter().copied().map(get).collect())
    }
}

/// A parsed header.
#[derive(Clone, Debug)]
pub struct File<'b> {
    /// Metadata by key.
    pub metadata: BTreeMap<&'b str, Value<'b>>,
    /// Tensors in file order.
    pub tensors: Vec<Tensor<'b>>,
}

impl<'b> File<'b> {
    /// Parses the header in `bytes`, the whole file.
    ///
    /// # Errors
    /// [`Error`] for another kind of file, a big-endian one, an unknown metadata type, or anything that runs past the
    /// end.
    pub fn parse(bytes: &'b [u8]) -> Result<Self, Error> {
        let mut c = Cursor::new(bytes);
        if c.take(4)? != b"GGUF" {
            return Err(Error("this is not a GGUF file".into()));
        }
        let version = c.u32()?;
        if !(2..=3).contains(&version) {
            return Err(Error(format!("GGUF version {version} is not 2 or 3, or the file is big-endian")));
        }
        let (tensors, pairs) = (c.u64()?, c.u64()?);
        let metadata = (0..pairs)
            .map(|_| {
                let key = c.text()?;
                let kind = c.u32()?;
                Ok((key, Value::read(&mut c, kind)?))
            })
            .collect::<Result<BTreeMap<_, _>, Error>>()?;
        let heads = (0..tensors).map(|_| Head::read(&mut c)).collect::<Result<Vec<_>, Error>>()?;
        let alignment = metadata.get("general.alignment").and_then(Value::unsigned).unwrap_or(32).max(1);
        let data = aligned(c.position(), alignment).and_then(|start| bytes.get(start..)).unwrap_or_default();
        Ok(Self { metadata, tensors: place(heads, data)? })
    }

    /// The tensor with this name.
    pub fn tensor(&self, name: &str) -> Option<&Tensor<'b>> {
        self.tensors.iter().find(|t| t.name == name)
    }
}

/// `position` rounded up to a multiple of `alignment`.
fn aligned(position: usize, alignment: u64) -> Option<usize> {
    position.checked_next_multiple_of(usize::try_from(alignment).ok()?)
}

/// A tensor's entry in the header.
struct Head<'b> {
    name: &'b str,
    dims: Vec<u64>,
    ggml_type: u32,
    offset: usize,
}

impl<'b> Head<'b> {
    fn read(c: &mut Cursor<'b>) -> Result<Self, Error> {
        let name = c.text()?;
        let dims = (0..c.u32()?).map(|_| c.u64()).collect::<Result<Vec<_>, _>>()?;
        if dims.iter().try_fold(1u64, |n, &d| n.checked_mul(d.max(1))).is_none() {
            return Err(Error(format!("{name}: the dimensions {dims:?} do not fit 64 bits")));
        }
        let ggml_type = c.u32()?;
        let offset = usize::try_from(c.u64()?).unwrap_or(usize::MAX);
        Ok(Self { name, dims, ggml_type, offset })
    }
}

/// Gives each tensor its bytes: up to the next larger offset in use.
fn place<'b>(heads: Vec<Head<'b>>, data: &'b [u8]) -> Result<Vec<Tensor<'b>>, Error> {
    let mut ends: Vec<usize> = heads.iter().map(|h| h.offset).chain([data.len()]).collect();
    ends.sort_unstable();
    heads
        .into_iter()
        .map(|Head { name, dims, ggml_type, offset }| {
            let end = ends[ends.partition_point(|&e| e <= offset).min(ends.len() - 1)];
            let past = || Error(format!("{name}: its data starts past the end of the file"));
            Ok(Tensor { name, dims, ggml_type, data: data.get(offset..end).ok_or_else(past)? })
        })
        .collect()
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
