//! Products with one activation row: one file a weight type.
//!
//! The kernels share one loop (`device/gemv.cuh`), so the wrappers share one launch.

pub mod bf16;
pub mod f16;
pub mod f32;
pub mod iq2_s;
pub mod iq2_xxs;
pub mod iq3_s;
pub mod iq3_xxs;
pub mod iq4_nl;
pub mod iq4_xs;
pub mod q2_k;
pub mod q4_0;
pub mod q4_1;
pub mod q4_k;
pub mod q5_0;
pub mod q5_1;
pub mod q5_k;
pub mod q6_k;
pub mod q8_0;

use cudarc::driver::{CudaView, CudaViewMut};

use super::launch::{Geometry, launch};
use super::{Device, Matrix, Products, RawMatrix, Source, check};
use crate::format::Format;
use crate::refusal::Refusal;

/// A gemv kernel whose format is known at run time only: what a bound weight holds.
#[derive(Clone, Copy, Debug)]
pub struct Gemv {
    /// The PTX that it runs.
    pub source: &'static Source,
    /// The wrapper: it refuses a matrix of another format, and says how it forms the products.
    pub run: Run,
}

/// A gemv wrapper of any format.
pub type Run =
    fn(&Device, &RawMatrix<'_>, &CudaView<'_, f32>, &mut CudaViewMut<'_, f32>) -> Result<Products, Refusal>;

/// What a block of threads does before its first row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decoding {
    /// Nothing.
    Registers,
    /// It unpacks a codebook into shared memory: worth it for many rows only, so there are fewer blocks.
    Codebook,
}

/// Rows that a group of threads takes at once: `GEMV_ROWS` of the kernels.
const ROWS: usize = 2;

/// Warps of a block.
const WARPS: u32 = 4;

/// Groups of one warp that occupy the largest device: about thirty for each of its multiprocessors.
const ENOUGH: usize = 4096;

/// Columns below which a block of four warps would have idle threads: 8 weights for each of its 128.
const NARROW: u32 = 1024;

/// Blocks that unpack a codebook: about sixteen for each multiprocessor of a large device.
const UNPACKING: usize = 2048;

/// A warp per group of rows when there are many rows, or few columns; else a block per group.
fn geometry(rows: u32, cols: u32, decoding: Decoding) -> Geometry {
    let groups = (rows as usize).div_ceil(ROWS);
    let narrow = groups >= ENOUGH || cols < NARROW;
    let per_block = if narrow { WARPS as usize } else { 1 };
    let most = if decoding == Decoding::Codebook { UNPACKING * per_block } else { groups };
    let (threads, per_block_rows) = if narrow { (32, WARPS) } else { (32 * WARPS, 1) };
    Geometry::over(groups.min(most), per_block, threads).rows_of_threads(per_block_rows)
}

/// Weights are decoded to f32 and multiplied by `x` as given.
fn in_f32<F: Format>(
    device: &Device,
    source: &'static Source,
    decoding: Decoding,
    w: &Matrix<'_, F>,
    x: &CudaView<'_, f32>,
    y: &mut CudaViewMut<'_, f32>,
) -> Result<Products, Refusal> {
    check::length("x", w.cols() as usize, x.len())?;
    check::length("y", w.rows() as usize, y.len())?;
    let (bytes, x, y) = (w.bytes(device)?, device.read("x", x)?, device.write("y", y)?);
    let arguments = [bytes.arg(), x.arg(), y.arg(), w.rows().into(), w.cols().into()];
    // SAFETY: the matrix holds the blocks of rows * cols weights; x and y have the lengths that the kernel is told.
    unsafe { launch(device, source, 0, geometry(w.rows(), w.cols(), decoding), &arguments)? };
    Ok(Products::F32)
}

/// The source's first kernel, or `x` rounded to 8 bits by its second and multiplied by its third, as the device prefers.
fn by_profile<F: Format>(
    device: &Device,
    source: &'static Source,
    w: &Matrix<'_, F>,
    x: &CudaView<'_, f32>,
    y: &mut CudaViewMut<'_, f32>,
) -> Result<Products, Refusal> {
    if device.products() == Products::F32 {
        return in_f32(device, source, Decoding::Registers, w, x, y);
    }
    check::length("x", w.cols() as usize, x.len())?;
    check::length("y", w.rows() as usize, y.len())?;
    let cols = w.cols() as usize;
    let (bytes, x, y) = (w.bytes(device)?, device.read("x", x)?, device.write("y", y)?);
    let codes = device.scratch(cols + cols / 32 * 4)?;
    // Between these two launches no other call may use the scratch.
    let _together = device.together();
    // SAFETY: x is cols floats, a multiple of 32 since rows are whole blocks; the codes and their scales fit the scratch.
    unsafe {
        let arguments = [x.arg(), codes.arg(), w.cols().into()];
        launch(device, source, 1, Geometry::over(cols / 32, 8, 256), &arguments)?;
    }
    // SAFETY: as in `in_f32`; the codes have just been written.
    unsafe {
        let arguments = [bytes.arg(), codes.arg(), y.arg(), w.rows().into(), w.cols().into()];
        launch(device, source, 2, geometry(w.rows(), w.cols(), Decoding::Registers), &arguments)?;
    }
    Ok(Products::Dp4a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_warps_when_there_are_many_or_rows_are_short() {
        let grid = |rows, cols| geometry(rows, cols, Decoding::Registers).grid()[0];
        assert_eq!([grid(1, 4096), grid(1000, 4096), grid(8190, 4096)], [1, 500, 4095]);
        assert_eq!([grid(8192, 4096), grid(1000, 256), grid(1, 32)], [1024, 125, 1]);
        assert_eq!(geometry(1 << 20, 4096, Decoding::Codebook).grid()[0], 2048);
        assert_eq!(grid(u32::MAX, 4096), 65_535);
    }
}
