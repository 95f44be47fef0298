//! The same kernels for devices with subgroup operations, of whatever size.

pub mod f16;
pub mod f32;
pub mod q4_0;
pub mod q4_k;
pub mod q5_k;
pub mod q6_k;
pub mod q8_0;
