//! IQ2_S, 82 bytes: f16 d, 32 codebook bytes, 32 sign bytes, 8 bytes of two upper index bits, 8 bytes of 4-bit scales
//! for groups of 16. `d (0.5 + scale) / 4 * grid`.

use super::grid::{Grid, sign};
use super::read::{bits, f16};

static GRID: Grid = Grid::new(include_str!("grids/iq2_s.txt"), &[8, 25, 43]);

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    let eight = i / 8;
    let index = u32::from(b[2 + eight]) + 256 * bits(b, 66 + eight / 4, eight % 4 * 2, 2);
    let scale = f16(b, 0) * (0.5 + f64::from(bits(b, 74 + i / 32, i % 32 / 16 * 4, 4))) / 4.0;
    scale * GRID.at(index, i % 8) * sign(b[34 + eight].into(), i % 8)
}
