//! Bytes that end where readable memory ends.

/// A copy of some bytes whose last one is the last before a page that cannot be read.
pub(crate) struct Guarded {
    map: *mut libc::c_void,
    pages: usize,
    start: usize,
    len: usize,
}

const PAGE: usize = 4096;

impl Guarded {
    /// A guarded copy.
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let pages = bytes.len().div_ceil(PAGE) + 1;
        let start = (pages - 1) * PAGE - bytes.len();
        let (read_write, private) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a fresh anonymous mapping that this value owns; its last page is made unreadable before any use, and
        // the bytes copied fit in those before.
        unsafe {
            let map = libc::mmap(std::ptr::null_mut(), pages * PAGE, read_write, private, -1, 0);
            assert_ne!(map, libc::MAP_FAILED);
            let guard = map.byte_add((pages - 1) * PAGE);
            assert_eq!(libc::mprotect(guard, PAGE, libc::PROT_NONE), 0);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), map.cast::<u8>().add(start), bytes.len());
            Self { map, pages, start, len: bytes.len() }
        }
    }

    /// The copy.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: inside the mapping, initialised by `new`, never written again.
        unsafe { std::slice::from_raw_parts(self.map.cast::<u8>().add(self.start), self.len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping that `new` made.
        unsafe { libc::munmap(self.map, self.pages * PAGE) };
    }
}
