//! Arguments and geometry of a launch, without an allocation.

use std::ffi::c_void;

use cudarc::driver::{SyncOnDrop, result, sys};

use super::device::Device;
use super::driver::refusal;
use super::source::Source;
use crate::refusal::Refusal;

/// The most arguments that a kernel takes.
const ARGUMENTS: usize = 24;

/// Blocks of a grid dimension that every device allows in every dimension. Kernels loop over what is left.
const BLOCKS: usize = 65_535;

/// Shared memory that a block may have on every device.
const SHARED: usize = 48 << 10;

/// One argument of a kernel, by value.
#[derive(Clone, Copy, Debug)]
pub struct Arg([u8; 8]);

impl Arg {
    /// A null pointer.
    pub const NULL: Self = Self([0; 8]);
}

macro_rules! arg {
    ($($ty:ty),+) => {$(
        impl From<$ty> for Arg {
            fn from(value: $ty) -> Self {
                let mut bytes = [0; 8];
                bytes[..size_of::<$ty>()].copy_from_slice(&value.to_ne_bytes());
                Self(bytes)
            }
        }
    )+};
}
arg!(u32, i32, f32, u64, f64);

/// The address of a buffer, checked for one launch. Dropped after it, it tells cudarc what the stream does with the
/// buffer.
#[derive(Debug)]
pub struct Pointer<'a> {
    address: u64,
    _guard: Option<SyncOnDrop<'a>>,
}

impl<'a> Pointer<'a> {
    pub(super) const fn new(address: u64, guard: Option<SyncOnDrop<'a>>) -> Self {
        Self { address, _guard: guard }
    }

    /// As a kernel takes it.
    pub fn arg(&self) -> Arg {
        self.address.into()
    }

    /// The address itself.
    pub const fn address(&self) -> u64 {
        self.address
    }
}

/// How many threads run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
}

impl Geometry {
    /// A grid of blocks in one dimension for `items` of which each block takes `per_block` at a time, and then those a
    /// grid further on: legal for any number of items.
    pub fn over(items: usize, per_block: usize, threads: u32) -> Self {
        let blocks = items.div_ceil(per_block.max(1)).clamp(1, BLOCKS);
        Self { grid: [blocks as u32, 1, 1], block: [threads, 1, 1], shared: 0 }
    }

    /// The same, with a second grid dimension of the same kind.
    #[must_use]
    pub fn by(mut self, items: usize) -> Self {
        self.grid[1] = items.clamp(1, BLOCKS) as u32;
        self
    }

    /// The same, with several rows of threads in a block.
    #[must_use]
    pub const fn rows_of_threads(mut self, rows: u32) -> Self {
        self.block[1] = rows;
        self
    }

    /// The same, with dynamic shared memory for each block.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`] for more than every device has.
    pub fn shared(mut self, bytes: usize) -> Result<Self, Refusal> {
        if bytes > SHARED {
            return Err(Refusal::TooLarge { what: "shared memory", limit: SHARED as u64, got: bytes as u64 });
        }
        self.shared = bytes as u32;
        Ok(self)
    }

    /// Blocks in each dimension.
    pub const fn grid(&self) -> [u32; 3] {
        self.grid
    }
}

/// Puts a kernel in the device's stream.
///
/// # Errors
/// [`Refusal::Capturing`] when the kernel is not loaded and the stream captures; [`Refusal::MissingSymbol`];
/// [`Refusal::Lost`] or [`Refusal::Driver`] when the driver refuses.
///
/// # Safety
/// `arguments` are the kernel's own, in order; what it reads and writes through them lies in the buffers that they point
/// into, and nothing else uses what it writes.
pub unsafe fn launch(
    device: &Device,
    source: &'static Source,
    kernel: usize,
    geometry: Geometry,
    arguments: &[Arg],
) -> Result<(), Refusal> {
    let function = device.function(source, kernel)?;
    if arguments.len() > ARGUMENTS {
        let (limit, got) = (ARGUMENTS as u64, arguments.len() as u64);
        return Err(Refusal::TooLarge { what: "kernel arguments", limit, got });
    }
    let mut values = [Arg::NULL; ARGUMENTS];
    values[..arguments.len()].copy_from_slice(arguments);
    let mut pointers = values.each_mut().map(|value| value.0.as_mut_ptr().cast::<c_void>());
    let Geometry { grid: [gx, gy, gz], block: [bx, by, bz], shared } = geometry;
    // SAFETY: the function is of the device's context, which is bound; the caller vouches for the arguments, which the
    // driver copies before it returns.
    unsafe { enqueue(device, function, ((gx, gy, gz), (bx, by, bz), shared), &mut pointers) }
}

unsafe fn enqueue(
    device: &Device,
    function: sys::CUfunction,
    (grid, block, shared): ((u32, u32, u32), (u32, u32, u32), u32),
    pointers: &mut [*mut c_void],
) -> Result<(), Refusal> {
    let stream = device.stream();
    stream.context().bind_to_thread().map_err(|e| refusal("binding the context", e))?;
    // SAFETY: as the caller says.
    unsafe { result::launch_kernel(function, grid, block, shared, stream.cu_stream(), pointers) }
        .map_err(|e| refusal("launching a kernel", e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grid_is_legal() {
        for (items, blocks) in [(0, 1), (1, 1), (4, 1), (5, 2), (262_140, 65_535), (1 << 40, 65_535)] {
            assert_eq!(Geometry::over(items, 4, 128).by(items).grid()[0], blocks, "{items}");
            assert!(Geometry::over(items, 4, 128).by(items).grid()[1] <= 65_535);
        }
        assert_eq!(Geometry::over(1, 1, 32).shared(49_153).unwrap_err().code(), "KR-S04");
    }
}
