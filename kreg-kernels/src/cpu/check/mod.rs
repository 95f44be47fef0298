//! What each op demands of its arguments, whoever implements it: one file per op, the same arguments as the kernel
//! without the workspace. A refusal means that nothing was written.

mod argmax;
mod attention;
mod embed;
mod gelu;
mod kv_write;
mod layernorm;
mod matvec;
mod repeat_penalty;
mod residual_add;
mod rmsnorm;
mod rope;
pub(crate) mod rules;
pub mod sample;
mod swiglu;

pub use argmax::argmax;
pub use attention::attention;
pub use embed::embed;
pub use gelu::gelu;
pub use kv_write::kv_write;
pub use layernorm::layernorm;
pub use matvec::matvec;
pub use repeat_penalty::repeat_penalty;
pub use residual_add::residual_add;
pub use rmsnorm::rmsnorm;
pub use rope::rope;
pub use swiglu::swiglu;
