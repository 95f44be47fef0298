//! IQ2_XXS, 66 bytes: f16 d; per 32 weights 4 codebook bytes and a u32 of 4 x 7 signs and a 4-bit scale.
//! `d (0.5 + scale) / 4 * grid`.

use super::grid::{Grid, sign_of_seven};
use super::read::{f16, u32_le};

static GRID: Grid = Grid::new(include_str!("grids/iq2_xxs.txt"), &[8, 25, 43]);

pub(super) fn weight(b: &[u8], i: usize) -> f64 {
    let (at, eight) = (2 + i / 32 * 8, i % 32 / 8);
    let word = u32_le(b, at + 4);
    let scale = f16(b, 0) * (0.5 + f64::from(word >> 28)) / 4.0;
    scale * GRID.at(b[at + eight].into(), i % 8) * sign_of_seven(word >> (7 * eight), i % 8)
}
