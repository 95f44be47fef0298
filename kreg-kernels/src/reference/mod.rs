//! Slow, obvious float64 definitions of every format and op, to judge kernels by. Never selectable.
//!
//! Nothing here shares code or tables with the kernels: formats are decoded from the raw bytes by other code, one
//! closed formula for the `i`-th weight of a block, and ops are written as their contracts state them.
//!
//! [`bound`] has the error models: how far each output may be off, from the shape and the inputs; [`Verdict`] holds
//! results to them. A kernel that quantises its activations is held to its bound on [`quantised`] activations, and is
//! coarser on the activations themselves.

mod activation;
mod argmax;
mod attention;
pub mod bound;
mod conv1d;
pub mod decode;
mod delta_rule;
mod dot;
mod elementwise_mul;
mod embed;
mod gdn_gates;
mod gelu;
mod kv_write;
mod l2norm;
mod layernorm;
mod repeat_penalty;
mod residual_add;
mod rmsnorm;
pub mod rope;
mod route_topk;
pub mod sample;
mod sigmoid_gate;
mod split;
mod swiglu;
mod verdict;
pub mod workload;

pub use activation::{quantised, rounded_to_bf16};
pub use argmax::argmax;
pub use attention::attention;
pub use bound::gamma;
pub use conv1d::conv1d_silu;
pub use delta_rule::delta_rule;
pub use dot::{Products, dot};
pub use elementwise_mul::elementwise_mul;
pub use embed::embed;
pub use gdn_gates::gdn_gates;
pub use gelu::gelu;
pub use kv_write::kv_write;
pub use l2norm::l2norm_per_head;
pub use layernorm::layernorm;
pub use repeat_penalty::repeat_penalty;
pub use residual_add::residual_add;
pub use rmsnorm::{rmsnorm, rmsnorm_gated, rmsnorm_per_head};
pub use route_topk::route_topk;
pub use sigmoid_gate::sigmoid_gate;
pub use split::split_interleaved;
pub use swiglu::swiglu;
pub use verdict::{Failure, Verdict};

/// f32 values as float64, exactly.
pub(crate) fn widen(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| f64::from(x)).collect()
}
