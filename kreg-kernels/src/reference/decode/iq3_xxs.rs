//! IQ3_XXS, 98 bytes: f16 d, 64 codebook bytes, then per 32 weights a u32 of 4 x 7 signs and a 4-bit scale.
//! `d (0.5 + scale) / 2 * grid`.

use super::grid::{Grid, sign_of_seven};
use super::read::{f16, u32_le};

static GRID: Grid = Grid::new(include_str!("grids/iq3_xxs.txt"), &[4, 12, 20, 28, 36, 44, 52, 62]);

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    let word = u32_le(b, 66 + i / 32 * 4);
    let scale = f16(b, 0) * (0.5 + f64::from(word >> 28)) / 2.0;
    scale * GRID.at(b[2 + i / 4].into(), i % 4) * sign_of_seven(word >> (7 * (i % 32 / 8)), i % 8)
}
