//! Slow, obvious float64 definitions of every format and op, to judge kernels by. Never selectable.
//!
//! Nothing here shares code or tables with the kernels: formats are decoded from the raw bytes by other code, one
//! closed formula for the `i`-th weight of a block, and ops are written as their contracts state them.
//!
//! A kernel's error on a product is bounded by [`gamma`]`(K) * mag` (error model EM-DOT), where `mag` comes with the
//! product in [`Products`]. A kernel that quantises its activations is held to that bound on [`quantised`]
//! activations, and to a coarser one on the activations themselves.

mod activation;
mod argmax;
mod attention;
mod bound;
pub mod decode;
mod dot;
mod embed;
mod gelu;
mod kv_write;
mod layernorm;
mod repeat_penalty;
mod residual_add;
mod rmsnorm;
pub mod rope;
pub mod sample;
mod swiglu;
pub mod workload;

pub use activation::{quantised, rounded_to_bf16};
pub use argmax::argmax;
pub use attention::attention;
pub use bound::gamma;
pub use dot::{Products, dot};
pub use embed::embed;
pub use gelu::gelu;
pub use kv_write::kv_write;
pub use layernorm::layernorm;
pub use repeat_penalty::repeat_penalty;
pub use residual_add::residual_add;
pub use rmsnorm::rmsnorm;
pub use swiglu::swiglu;

/// f32 values as float64, exactly.
pub(crate) fn widen(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| f64::from(x)).collect()
}
