//! Metadata values.

use crate::Error;
use crate::cursor::Cursor;

/// A metadata value. Widths are dropped: what a reader asks is the number.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'b> {
    /// Any unsigned integer.
    Unsigned(u64),
    /// Any signed integer.
    Signed(i64),
    /// Any float.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// UTF-8 text.
    Text(&'b str),
    /// Values of one type.
    List(Vec<Value<'b>>),
}

impl<'b> Value<'b> {
    /// Reads a value of GGUF's value type `kind`.
    pub(crate) fn read(c: &mut Cursor<'b>, kind: u32) -> Result<Self, Error> {
        Ok(match kind {
            0 => Self::Unsigned(u8::from_le_bytes(c.array()?).into()),
            1 => Self::Signed(i8::from_le_bytes(c.array()?).into()),
            2 => Self::Unsigned(u16::from_le_bytes(c.array()?).into()),
            3 => Self::Signed(i16::from_le_bytes(c.array()?).into()),
            4 => Self::Unsigned(c.u32()?.into()),
            5 => Self::Signed(i32::from_le_bytes(c.array()?).into()),
            6 => Self::Float(f32::from_le_bytes(c.array()?).into()),
            7 => Self::Bool(c.array::<1>()? != [0]),
            8 => Self::Text(c.text()?),
            9 => {
                let kind = c.u32()?;
                if kind == 9 {
                    return Err(Error("a list of lists: no GGUF writer makes one".into()));
                }
                Self::List((0..c.u64()?).map(|_| Self::read(c, kind)).collect::<Result<_, _>>()?)
            }
            10 => Self::Unsigned(c.u64()?),
            11 => Self::Signed(i64::from_le_bytes(c.array()?)),
            12 => Self::Float(f64::from_le_bytes(c.array()?)),
            _ => return Err(Error(format!("metadata type {kind} does not exist"))),
        })
    }

    /// The value as an unsigned integer, if it is a whole number that fits.
    pub fn unsigned(&self) -> Option<u64> {
        match *self {
            Self::Unsigned(n) => Some(n),
            Self::Signed(n) => n.try_into().ok(),
            _ => None,
        }
    }

    /// The value as a float, if it is one.
    pub fn float(&self) -> Option<f64> {
        match *self {
            Self::Float(x) => Some(x),
            _ => None,
        }
    }

    /// The value as a truth value, if it is one.
    pub fn truth(&self) -> Option<bool> {
        match *self {
            Self::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// The value as text, if it is text.
    pub fn text(&self) -> Option<&'b str> {
        match *self {
            Self::Text(s) => Some(s),
            _ => None,
        }
    }

    /// The value as a list, if it is one.
    pub fn list(&self) -> Option<&[Self]> {
        match self {
            Self::List(values) => Some(values),
            _ => None,
        }
    }
}
