//! CUDA kernels: one `.cu` file per op or weight type, its PTX, and the host wrapper of the same stem that a row names.
//!
//! A wrapper checks its arguments, and launches on the stream of its [`Device`]: it returns before the kernel has run,
//! copies nothing, waits for nothing and allocates nothing. Buffers are the caller's, as cudarc views. PTX is compiled
//! ahead of time (`scripts/ptx.sh`) and embedded, so that users need neither toolkit nor compiler: only a driver.
//!
//! | module | holds |
//! |---|---|
//! | [`Device`] | a stream, and what kernels need there: functions, limits, scratch, the fault word |
//! | [`Source`] | the PTX of one `.cu` file |
//! | [`Matrix`], [`RawMatrix`] | weight bytes in device memory whose shape has been checked |
//! | [`Position`] | a position that the host knows, or that a kernel reads from device memory |
//! | [`Products`] | how a product was formed, where the device chooses |

pub mod admit;
pub mod argmax;
pub mod attention;
pub mod check;
pub mod conv1d;
pub mod delta_rule;
mod device;
mod driver;
pub mod elementwise_mul;
pub mod embed;
mod fault;
pub mod gdn_gates;
pub mod gemv;
pub mod kv_write;
pub mod l2norm;
pub mod launch;
mod matrix;
mod position;
mod products;
pub mod repeat_penalty;
pub mod residual_add;
pub mod rmsnorm;
pub mod rope;
pub mod route_topk;
pub mod sample;
pub mod sigmoid_gate;
mod source;
pub mod split;
pub mod swiglu;

pub use admit::admit;
pub use cudarc;
pub use cudarc::driver::{CudaContext, CudaStream, CudaView, CudaViewMut};
pub use device::{Builder, Device};
pub use driver::{context, open};
pub use gemv::Gemv;
pub use matrix::{Matrix, RawMatrix};
pub use position::Position;
pub use products::Products;
pub use source::Source;
