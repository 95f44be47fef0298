//! Matrix times activation rows, in f32: `y[i][r] = sum_k W[r][k] * x[i][k]`, one file per weight type.
//!
//! A file is a decoder of blocks; the loops are the portable level's for types whose activations stay in f32.

pub mod q4_0;
pub mod q4_k;
pub mod q8_0;
