//! APR_Q4: `w = d * (q - 8)`, adjacent weights in the two nibbles of a byte, one stream over the whole matrix.
//!
//! When the blocks of the stream are aligned with the rows, rows are whole blocks; else a row is decoded one weight at
//! a time, wherever it starts.

use std::arch::x86_64::*;

use half::f16;

use crate::cpu::avx512::panel::{self, Decode, Rows, f16_low, field};
use crate::cpu::avx512::row;
use crate::format::{APR_Q4, BlockAPR_Q4, Format};
use crate::{Matrix, Workspace};

/// `y = W x` for each activation row of `x`, in f32.
///
/// # Safety
/// The CPU must have the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn matvec(w: Matrix<'_, APR_Q4>, x: &[f32], y: &mut [f32], ws: &mut Workspace) {
    if row::takes(w, x) {
        // SAFETY: this function enables what `Row` enables.
        return unsafe { row::matvec(w, x, y, ws) };
    }
    let shape = (w.rows(), w.cols());
    if w.cols().is_multiple_of(APR_Q4::ELEMS) {
        let stride = w.cols() / APR_Q4::ELEMS * APR_Q4::BYTES;
        // SAFETY: this function enables what `decode` enables, and the level's features.
        return unsafe { panel::float(&Blocks, (w.bytes(), stride), shape, x, y, ws) };
    }
    let stream = Stream { blocks: w.blocks(), cols: w.cols() };
    // SAFETY: this function enables the level's features; `decode` enables none.
    unsafe { panel::float(&stream, (&[], 0), shape, x, y, ws) }
}

/// Rows of whole blocks.
struct Blocks;

impl Decode for Blocks {
    const STEP: usize = 32;
    const BYTES: usize = APR_Q4::BYTES;

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn decode(&self, rows: &Rows<'_>, step: usize, out: &mut [__m512i]) {
        let at = step * APR_Q4::BYTES;
        let d = f16_low(rows.head16(at)[0]);
        for (q, out) in rows.lanes16(at + 2).into_iter().zip(out.as_chunks_mut::<8>().0) {
            for (j, out) in out.iter_mut().enumerate() {
                let q = _mm512_sub_ps(field(q, 4 * j as u32, 4), _mm512_set1_ps(8.0));
                *out = _mm512_castps_si512(_mm512_mul_ps(d, q));
            }
        }
    }
}

/// Rows that start anywhere in a block.
struct Stream<'w> {
    blocks: &'w [BlockAPR_Q4],
    cols: usize,
}

impl Stream<'_> {
    /// Weight `i` of the stream.
    fn weight(&self, i: usize) -> f32 {
        let block = &self.blocks[i / 32];
        let q = block.qs[i % 32 / 2] >> (4 * (i % 2)) & 15;
        f16::from_le_bytes(block.d).to_f32() * f32::from(q as i8 - 8)
    }
}

impl Decode for Stream<'_> {
    const STEP: usize = 32;
    const BYTES: usize = 0;

    unsafe fn decode(&self, rows: &Rows<'_>, step: usize, out: &mut [__m512i]) {
        let out: &mut [[f32; 16]] = bytemuck::cast_slice_mut(out);
        for lane in 0..16 {
            let row = rows.index(lane) * self.cols;
            for (k, out) in (32 * step..).zip(&mut *out) {
                out[lane] = if k < self.cols { self.weight(row + k) } else { 0.0 };
            }
        }
    }
}
