//! A reading position that never runs past the end.

use crate::Error;

/// Bytes and how far they have been read.
pub(crate) struct Cursor<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Cursor<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The next `n` bytes.
    pub(crate) fn take(&mut self, n: usize) -> Result<&'b [u8], Error> {
        let end = self.at.checked_add(n).filter(|&end| end <= self.bytes.len());
        let end =
            end.ok_or_else(|| Error(format!("the file ends inside its header, at byte {}", self.at)))?;
        Ok(&self.bytes[std::mem::replace(&mut self.at, end)..end])
    }

    /// The next `N` bytes as an array.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Error> {
        self.array().map(u64::from_le_bytes)
    }

    /// A length and that many bytes of UTF-8.
    pub(crate) fn text(&mut self) -> Result<&'b str, Error> {
        let len = usize::try_from(self.u64()?).unwrap_or(usize::MAX);
        std::str::from_utf8(self.take(len)?).map_err(|_| Error("a name is not UTF-8".into()))
    }
}
