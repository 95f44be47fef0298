//! Products of a weight matrix and one activation vector, a weight type a file.

pub mod f16;
pub mod f32;
pub mod q4_0;
pub mod q4_k;
pub mod q5_k;
pub mod q6_k;
pub mod q8_0;
pub mod subgroup;
