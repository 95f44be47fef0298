//! What can be wrong with a file.

use std::fmt;

/// Why a file cannot be read. Positions count bytes from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages below say what each field is")]
pub enum Error {
    NotGguf { magic: String },
    Version { found: u32 },
    Truncated { what: &'static str, at: u64, need: u64, left: u64 },
    Count { what: &'static str, count: u64, left: u64 },
    Text { what: &'static str, at: u64 },
    ValueType { key: String, id: u32 },
    Bool { key: String, byte: u8 },
    Nesting { key: String },
    Duplicate { what: &'static str, name: String },
    Alignment { value: u64 },
    Dimensions { tensor: String, count: u32 },
    Shape { tensor: String, dims: Vec<u64> },
    Offset { tensor: String, offset: u64, alignment: u64, len: u64 },
    Overlap { tensor: String, offset: u64 },
    Short { tensor: String, need: u64, found: u64 },
    TensorType { tensor: String, want: u32, found: u32 },
    Missing { key: String },
    WrongType { key: String, want: &'static str, found: &'static str },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotGguf { magic } => write!(f, "not a GGUF file: it starts with `{magic}`"),
            Self::Version { found } if (1..=3).contains(&found.swap_bytes()) => {
                write!(f, "a big-endian GGUF file: only little-endian ones are read")
            }
            Self::Version { found } => write!(f, "GGUF version {found}: only 2 and 3 are read"),
            Self::Truncated { what, at, need, left } => {
                write!(f, "the file ends too early: {what} at byte {at} needs {need} bytes, {left} are left")
            }
            Self::Count { what, count, left } => {
                write!(f, "the file claims {count} {what}, more than its remaining {left} bytes can hold")
            }
            Self::Text { what, at } => write!(f, "{what} at byte {at} is not UTF-8"),
            Self::ValueType { key, id } => {
                write!(f, "`{key}` has value type {id}, which GGUF does not define")
            }
            Self::Bool { key, byte } => write!(f, "`{key}` is a truth value of {byte}"),
            Self::Nesting { key } => write!(f, "`{key}` is a list of lists, which no GGUF writer makes"),
            Self::Duplicate { what, name } => write!(f, "{what} `{name}` occurs twice"),
            Self::Alignment { value } => {
                write!(f, "general.alignment is {value}, not a power of two below 2^32")
            }
            Self::Dimensions { tensor, count } => {
                write!(f, "tensor `{tensor}` has {count} dimensions: at most four are possible")
            }
            Self::Shape { tensor, dims } => {
                write!(f, "tensor `{tensor}` has shape {dims:?}: empty, or more than 2^64 values")
            }
            Self::Offset { tensor, offset, len, .. } if offset > len => {
                write!(
                    f,
                    "tensor `{tensor}` starts at {offset}, and the file ends after {len} bytes of tensor data"
                )
            }
            Self::Offset { tensor, offset, alignment, .. } => {
                write!(f, "tensor `{tensor}` starts at {offset}, which is not a multiple of {alignment}")
            }
            Self::Overlap { tensor, offset } => {
                write!(f, "tensor `{tensor}` starts at {offset}, as another one does")
            }
            Self::Short { tensor, need, found } => write!(
                f,
                "tensor `{tensor}` needs {need} bytes, and {found} are there before the next tensor or the end of the file"
            ),
            Self::TensorType { tensor, want, found } => {
                write!(f, "tensor `{tensor}` has type {found}, and type {want} was asked for")
            }
            Self::Missing { key } => write!(f, "the file has no `{key}`"),
            Self::WrongType { key, want, found } => write!(f, "`{key}` must be {want}, and is {found}"),
        }
    }
}

impl std::error::Error for Error {}
