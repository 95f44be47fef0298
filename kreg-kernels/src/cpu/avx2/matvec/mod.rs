//! Matrix times activation rows: `y[i][r] = sum_k W[r][k] * x[i][k]`, one file per weight type.
//!
//! The loops are in `cpu::simd::row`; a file instantiates them with this level's features.

pub mod apr_q4;
pub mod apr_q8;
pub mod bf16;
pub mod f16;
pub mod f32;
pub mod iq2_s;
pub mod iq2_xxs;
pub mod iq3_s;
pub mod iq3_xxs;
pub mod iq4_nl;
pub mod iq4_xs;
pub mod q2_k;
pub mod q3_k;
pub mod q4_0;
pub mod q4_1;
pub mod q4_k;
pub mod q5_0;
pub mod q5_1;
pub mod q5_k;
pub mod q6_k;
pub mod q8_0;
