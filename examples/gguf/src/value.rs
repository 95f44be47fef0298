//! Metadata values.

use crate::cursor::Cursor;
use crate::error::Error;

/// A metadata value. Integers and floats of every width are widened, which is exact.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'b> {
    /// Any unsigned integer.
    Unsigned(u64),
    /// Any signed integer.
    Signed(i64),
    /// `f32` or `f64`.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// Text.
    Text(&'b str),
    /// Values of one kind.
    List(Vec<Value<'b>>),
}

impl<'b> Value<'b> {
    /// Reads the type id and the value of `key`.
    pub(crate) fn parse(cursor: &mut Cursor<'b>, key: &str) -> Result<Self, Error> {
        let id = cursor.u32("metadata value type")?;
        Self::of_type(cursor, key, id)
    }

    /// Reads a value of GGUF value type `id`.
    fn of_type(cursor: &mut Cursor<'b>, key: &str, id: u32) -> Result<Self, Error> {
        const WHAT: &str = "metadata value";
        Ok(match id {
            0 => Self::Unsigned(u8::from_le_bytes(cursor.array(WHAT)?).into()),
            1 => Self::Signed(i8::from_le_bytes(cursor.array(WHAT)?).into()),
            2 => Self::Unsigned(u16::from_le_bytes(cursor.array(WHAT)?).into()),
            3 => Self::Signed(i16::from_le_bytes(cursor.array(WHAT)?).into()),
            4 => Self::Unsigned(cursor.u32(WHAT)?.into()),
            5 => Self::Signed(i32::from_le_bytes(cursor.array(WHAT)?).into()),
            6 => Self::Float(f32::from_le_bytes(cursor.array(WHAT)?).into()),
            7 => match cursor.array::<1>(WHAT)? {
                [0] => Self::Bool(false),
                [1] => Self::Bool(true),
                [byte] => return Err(Error::Bool { key: key.into(), byte }),
            },
            8 => Self::Text(cursor.text(WHAT)?),
            9 => Self::list_of(cursor, key)?,
            10 => Self::Unsigned(cursor.u64(WHAT)?),
            11 => Self::Signed(i64::from_le_bytes(cursor.array(WHAT)?)),
            12 => Self::Float(f64::from_le_bytes(cursor.array(WHAT)?)),
            id => return Err(Error::ValueType { key: key.into(), id }),
        })
    }

    /// Reads the element type, the count and the elements of a list.
    fn list_of(cursor: &mut Cursor<'b>, key: &str) -> Result<Self, Error> {
        let id = cursor.u32("list element type")?;
        let count = cursor.u64("list length")?;
        let smallest = match id {
            0 | 1 | 7 => 1,
            2 | 3 => 2,
            4..=6 => 4,
            9 => return Err(Error::Nesting { key: key.into() }),
            _ => 8,
        };
        let mut values = Vec::with_capacity(cursor.capacity("list elements", count, smallest)?);
        for _ in 0..count {
            values.push(Self::of_type(cursor, key, id)?);
        }
        Ok(Self::List(values))
    }

    /// What kind of value this is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unsigned(_) => "an unsigned integer",
            Self::Signed(_) => "a signed integer",
            Self::Float(_) => "a float",
            Self::Bool(_) => "a truth value",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
        }
    }

    /// A whole number that is not negative.
    pub fn unsigned(&self) -> Option<u64> {
        match *self {
            Self::Unsigned(n) => Some(n),
            Self::Signed(n) => n.try_into().ok(),
            _ => None,
        }
    }

    /// A float.
    pub fn float(&self) -> Option<f64> {
        match *self {
            Self::Float(x) => Some(x),
            _ => None,
        }
    }

    /// A truth value.
    pub fn truth(&self) -> Option<bool> {
        match *self {
            Self::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// Text.
    pub fn text(&self) -> Option<&'b str> {
        match *self {
            Self::Text(s) => Some(s),
            _ => None,
        }
    }

    /// The elements of a list.
    pub fn list(&self) -> Option<&[Value<'b>]> {
        match self {
            Self::List(values) => Some(values),
            _ => None,
        }
    }
}
