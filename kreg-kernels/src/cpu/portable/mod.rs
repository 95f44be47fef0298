//! The level that every machine has: plain Rust, written so that the compiler vectorises it.

pub mod argmax;
pub mod attention;
pub mod embed;
pub mod gelu;
pub mod kv_write;
pub mod layernorm;
pub mod matvec;
pub(crate) mod quantise;
pub mod repeat_penalty;
pub mod residual_add;
pub mod rmsnorm;
pub mod rope;
pub mod sample;
pub mod swiglu;
