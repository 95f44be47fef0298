//! Matrix times activation rows: `y[i][r] = sum_k W[r][k] * x[i][k]`, one file per weight type.

mod float;

pub mod q4_1;
