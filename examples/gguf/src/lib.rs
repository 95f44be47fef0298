//! Reads the header of a GGUF file (versions 2 and 3, little-endian) and borrows everything from its bytes.
//!
//! The published readers map a tensor's type to a closed list and stop at the first id that they do not know. kreg's
//! point is to answer for every id by name, so here an id stays the number that the file holds. No count, length or
//! offset is believed before it is checked.
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
mod error;
mod tensor;
mod value;
mod writer;

use std::collections::{BTreeMap, HashSet};

use cursor::Cursor;
pub use error::Error;
use tensor::Head;
pub use tensor::Tensor;
pub use value::Value;
pub use writer::{NewTensor, Writer};

/// Smallest metadata pair: an empty key (8 bytes), a type id (4) and one byte of value.
const SMALLEST_PAIR: u64 = 13;
/// Alignment of tensor data when the file states none.
const DEFAULT_ALIGNMENT: u64 = 32;

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
    /// An [`Error`] that names what is damaged and where. Missing tensor bytes are found by [`Tensor::bytes`], whose
    /// caller knows how many a type needs.
    pub fn parse(bytes: &'b [u8]) -> Result<Self, Error> {
        let mut cursor = Cursor::new(bytes);
        let magic = cursor.bytes("magic", 4)?;
        if magic != b"GGUF" {
            return Err(Error::NotGguf { magic: magic.escape_ascii().to_string() });
        }
        let version = cursor.u32("version")?;
        if !(2..=3).contains(&version) {
            return Err(Error::Version { found: version });
        }
        let tensors = cursor.u64("tensor count")?;
        let pairs = cursor.u64("metadata count")?;
        let mut file = Self { metadata: metadata(&mut cursor, pairs)?, tensors: Vec::new() };
        let alignment = file.alignment()?;
        let heads = Head::parse(&mut cursor, tensors)?;
        let start = cursor.position() as u64;
        let start = start.next_multiple_of(alignment);
        let data = usize::try_from(start).ok().and_then(|start| bytes.get(start..));
        let truncated = Error::Truncated { what: "tensor data", at: start, need: 1, left: 0 };
        let data = data.or(heads.is_empty().then_some(&[])).ok_or(truncated)?;
        file.tensors = tensor::place(heads, alignment, data)?;
        let mut names = HashSet::new();
        match file.tensors.iter().find(|t| !names.insert(t.name)) {
            Some(twice) => Err(Error::Duplicate { what: "tensor", name: twice.name.into() }),
            None => Ok(file),
        }
    }

    /// The tensor with this name.
    pub fn tensor(&self, name: &str) -> Option<&Tensor<'b>> {
        self.tensors.iter().find(|t| t.name == name)
    }

    /// The metadata of `key` as `get` sees it, or `None` when the file has no such key.
    ///
    /// # Errors
    /// [`Error::WrongType`] when the value is of another type; `want` names the right one.
    pub fn optional<'s, T>(
        &'s self,
        key: &str,
        want: &'static str,
        get: impl FnOnce(&'s Value<'b>) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let Some(value) = self.metadata.get(key) else { return Ok(None) };
        let wrong = || Error::WrongType { key: key.into(), want, found: value.kind() };
        get(value).map(Some).ok_or_else(wrong)
    }

    /// As [`File::optional`], for a key that must be there.
    ///
    /// # Errors
    /// [`Error::Missing`] as well.
    pub fn required<'s, T>(
        &'s self,
        key: &str,
        want: &'static str,
        get: impl FnOnce(&'s Value<'b>) -> Option<T>,
    ) -> Result<T, Error> {
        self.optional(key, want, get)?.ok_or_else(|| Error::Missing { key: key.into() })
    }

    /// `general.alignment`: a power of two.
    fn alignment(&self) -> Result<u64, Error> {
        let value = self.optional("general.alignment", "an unsigned integer", Value::unsigned)?;
        match value.unwrap_or(DEFAULT_ALIGNMENT) {
            n if n.is_power_of_two() && n <= u64::from(u32::MAX) => Ok(n),
            value => Err(Error::Alignment { value }),
        }
    }
}

/// Reads `count` pairs of key and value.
fn metadata<'b>(cursor: &mut Cursor<'b>, count: u64) -> Result<BTreeMap<&'b str, Value<'b>>, Error> {
    cursor.capacity("metadata pairs", count, SMALLEST_PAIR)?;
    let mut pairs = BTreeMap::new();
    for _ in 0..count {
        let key = cursor.text("metadata key")?;
        let value = Value::parse(cursor, key)?;
        if pairs.insert(key, value).is_some() {
            return Err(Error::Duplicate { what: "metadata key", name: key.into() });
        }
    }
    Ok(pairs)
}
