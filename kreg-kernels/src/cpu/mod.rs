//! CPU kernels, one folder per instruction-set level, and the argument checks of each op.
//!
//! Every kernel is a safe function with the signature of its op. Weights arrive as a [`Matrix`](crate::Matrix), whose
//! bytes have been checked; slice lengths are checked by [`check`] before a selector calls the kernel, and a kernel
//! called directly with other lengths panics rather than read out of bounds.

mod attention;
#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod check;
mod codebook;
mod device;
mod erased;
pub mod exact;
mod math;
#[cfg(target_arch = "aarch64")]
pub mod neon;
#[cfg(target_arch = "aarch64")]
pub mod neon_dotprod;
pub mod portable;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod simd;
mod split;
mod team;
#[cfg(test)]
pub(crate) mod testing;

pub use device::Device;
pub use erased::MatVec;
pub use team::step;
