//! The product with many activation rows, from a number on that each type states (`UP_TO`): unpack a panel of sixteen weight rows into the cache once, use it for every
//! activation row.
//!
//! | module | holds |
//! |---|---|
//! | `driver` | the loop nest, the threads, the scratch memory |
//! | `dots` | the integer microkernel: sixteen weight rows by a few activation rows |
//! | `block`, `superblock` | the records of blocks of 32 and of 256, and how their scales meet the sums |
//! | `float` | the f32 microkernel |
//!
//! Weights come as a type's row product has them, block by block ([`row`](super::row)); eight rows at a time are
//! transposed by dwords, so that a lane holds one weight row and four inputs. Then an activation is one broadcast for all
//! of them, and no sum crosses lanes.
//!
//! An output is the same bits for any number of threads, any number of activation rows that goes through panels and any division
//! of K: a tile continues the sums where the last one left them, in order of k.

mod block;
mod dots;
mod driver;
mod float;
mod superblock;

pub(super) use block::Blocks;
pub(super) use driver::matvec;
pub(super) use float::Floats;
pub(super) use superblock::SuperBlocks;
