//! The x86-64 level with AVX-512 and VNNI: 8-bit dot products sixteen lanes wide, straight from the weight bytes.
//!
//! `panel` is the product with many activation rows, `row` the product with one, which the memory bounds.

mod grid;
mod load;
pub mod matvec;
mod panel;
mod quantise;
pub(crate) mod row;
