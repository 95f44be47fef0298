//! WGSL kernels, and the host side that binds and records them on the caller's wgpu device.
//!
//! A kernel is a WGSL file (`gemv/q4_k.wgsl`: how the bytes of a weight type are read) with an entry
//! (`entry/plain.wgsl`, `entry/subgroup.wgsl`: how a workgroup adds up), and a function beside it that binds it to a
//! [`Matrix`]. Everything that can be refused is refused when a matrix is bound or when arguments are given; a [`Gemv`]
//! then records one dispatch into the caller's encoder. Nothing is submitted or waited for.
//!
//! What WGSL promises is what holds: sums in f32; f16 numbers are exact; f32 subnormals may count for zero; NaN and
//! infinities propagate on every driver that was tried, and WGSL leaves them to the driver.

mod bind;
mod catch;
mod device;
mod entry;
pub mod gemv;
mod matrix;
mod part;
mod pipeline;
mod upload;

pub use ::wgpu;
pub use bind::Gemv;
pub use device::Device;
pub use matrix::Matrix;
