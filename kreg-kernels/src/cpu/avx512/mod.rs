//! The x86-64 level with AVX-512 and VNNI: 8-bit dot products sixteen lanes wide, straight from the weight bytes.
//!
//! `panel` is the product with many activation rows, `row` the product with one, which the memory bounds.

#[allow(dead_code, reason = "as row")]
mod grid;
#[allow(dead_code, reason = "as row")]
mod load;
pub mod matvec;
mod panel;
#[allow(dead_code, reason = "as row")]
mod quantise;
#[allow(dead_code, reason = "until matvec/<qtype>.rs calls it")]
pub(crate) mod row;
