//! IQ3_S, 110 bytes: f16 d, 64 codebook bytes, 8 bytes of ninth index bits, 32 sign bytes, 4 bytes of 4-bit scales for
//! groups of 32. `d (1 + 2 scale) * grid`.

use super::grid::{Grid, sign};
use super::read::{bits, f16};

static GRID: Grid = Grid::new(include_str!("grids/iq3_s.txt"), &[1, 3, 5, 7, 9, 11, 13, 15]);

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    let four = i / 4;
    let index = u32::from(b[2 + four]) + 256 * bits(b, 66 + four / 8, four % 8, 1);
    let scale = f16(b, 0) * f64::from(1 + 2 * bits(b, 106 + i / 64, i % 64 / 32 * 4, 4));
    scale * GRID.at(index, i % 4) * sign(b[74 + i / 8].into(), i % 8)
}
