//! The x86-64 level with AVX-512 and VNNI: 8-bit dot products sixteen lanes wide, straight from the weight bytes.
//!
//! `row` is the product with one activation row, which the memory bounds.

#[allow(dead_code, reason = "as row")]
mod load;
#[allow(dead_code, reason = "as row")]
mod quantise;
#[allow(dead_code, reason = "until matvec/<qtype>.rs calls it")]
pub(crate) mod row;
