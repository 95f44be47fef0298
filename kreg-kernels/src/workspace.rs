//! Scratch memory that outlives a call.

use bytemuck::{Pod, Zeroable};

/// One cache line, so that scratch slices start on one.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

// SAFETY: a byte array with alignment 64 and size 64: no padding, zero is valid.
unsafe impl Zeroable for Line {}
// SAFETY: as above; `Copy`, `'static`, every bit pattern valid.
unsafe impl Pod for Line {}

/// Reusable scratch for kernels: grows to the largest call seen and stays, so that the steady state allocates
/// nothing. One per thread of the engine; contents do not carry over from call to call.
#[derive(Default)]
pub struct Workspace {
    lines: Vec<Line>,
}

impl Workspace {
    /// An empty workspace. The first calls grow it.
    pub const fn new() -> Self {
        Self { lines: Vec::new() }
    }

    /// Bytes held at present.
    pub fn capacity(&self) -> usize {
        self.lines.len() * size_of::<Line>()
    }

    /// A slice of `n` values with unspecified contents, starting on a cache line.
    pub fn slice<T: Pod>(&mut self, n: usize) -> &mut [T] {
        self.slices::<T, u8>(n, 0).0
    }

    /// Two disjoint slices with unspecified contents, each starting on a cache line.
    ///
    /// # Panics
    /// When the sizes together exceed the address space.
    pub fn slices<A: Pod, B: Pod>(&mut self, na: usize, nb: usize) -> (&mut [A], &mut [B]) {
        let lines =
            |bytes: Option<usize>| bytes.expect("workspace size overflows").div_ceil(size_of::<Line>());
        let a = lines(na.checked_mul(size_of::<A>()));
        let b = lines(nb.checked_mul(size_of::<B>()));
        if self.lines.len() < a + b {
            self.lines.resize(a + b, Line([0; 64]));
        }
        let (la, rest) = self.lines.split_at_mut(a);
        let lb = &mut rest[..b];
        (cast(la, na), cast(lb, nb))
    }
}

/// The first `n` values of `lines`.
fn cast<T: Pod>(lines: &mut [Line], n: usize) -> &mut [T] {
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(lines);
    bytemuck::cast_slice_mut(&mut bytes[..n * size_of::<T>()])
}
