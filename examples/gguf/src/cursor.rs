//! Little-endian reads that never leave the file.

use crate::error::Error;

/// A position in the file's bytes.
pub(crate) struct Cursor<'b> {
    file: &'b [u8],
    at: usize,
}

impl<'b> Cursor<'b> {
    /// At the start of `file`.
    pub(crate) fn new(file: &'b [u8]) -> Self {
        Self { file, at: 0 }
    }

    /// Bytes read so far.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Bytes not yet read.
    fn left(&self) -> u64 {
        (self.file.len() - self.at) as u64
    }

    /// The next `n` bytes; `what` is named when the file has fewer.
    pub(crate) fn bytes(&mut self, what: &'static str, n: u64) -> Result<&'b [u8], Error> {
        let left = self.left();
        if n > left {
            return Err(Error::Truncated { what, at: self.at as u64, need: n, left });
        }
        let start = self.at;
        self.at += n as usize; // fits: n <= left, which came from a usize
        Ok(&self.file[start..self.at])
    }

    /// The next `N` bytes as an array.
    pub(crate) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Error> {
        let mut out = [0; N];
        out.copy_from_slice(self.bytes(what, N as u64)?);
        Ok(out)
    }

    /// An unsigned 32-bit number.
    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    /// An unsigned 64-bit number.
    pub(crate) fn u64(&mut self, what: &'static str) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    /// A length and that many bytes of UTF-8.
    pub(crate) fn text(&mut self, what: &'static str) -> Result<&'b str, Error> {
        let len = self.u64(what)?;
        let at = self.at as u64;
        std::str::from_utf8(self.bytes(what, len)?).map_err(|_| Error::Text { what, at })
    }

    /// `count` as a capacity, once the rest of the file could hold that many things of `smallest` bytes each.
    pub(crate) fn capacity(&self, what: &'static str, count: u64, smallest: u64) -> Result<usize, Error> {
        if count > self.left() / smallest {
            return Err(Error::Count { what, count, left: self.left() });
        }
        Ok(count as usize) // fits: at most the file's length
    }
}
