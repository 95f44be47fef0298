//! The product with many activation rows: unpack a panel of weights into the cache once, use it for every row.
//!
//! | module | holds |
//! |---|---|
//! | `lanes` | sixteen weight rows as vectors: the one transpose |
//! | `bits` | lane-wise steps that several unpackers share |
//! | `integer` | 8-bit arithmetic: `pack` the activations, `tile` the microkernel, the record that a type unpacks to |
//! | `grid` | the lookups of the codebook types |
//! | `float` | f32 and bf16 arithmetic |
//! | `driver` | the loop nest, the threads, the scratch memory |
//!
//! An output is the same bits for any number of threads, any number of activation rows from two on and any division
//! of K: a tile continues the sums where the last one left them, in order of k.

mod bits;
mod driver;
mod float;
mod grid;
mod integer;
mod lanes;
mod pack;
mod tile;

pub(crate) use bits::*;
pub(crate) use float::{Decode, float};
pub(crate) use grid::*;
pub(crate) use integer::{Panel, Records, Sub16, Sub16Min, Sub32, Sub32Min, Whole, WholeMin, integer};
pub(crate) use lanes::Rows;
