//! CPU kernels, one folder per instruction-set level, and the argument checks of each op.
//!
//! Every kernel is a safe function with the signature of its op. Weights arrive as a [`Matrix`](crate::Matrix), whose
//! bytes have been checked; slice lengths are checked by [`check`] before a selector calls the kernel, and a kernel
//! called directly with other lengths panics rather than read out of bounds.

#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod check;
mod codebook;
mod device;
mod math;
pub mod portable;
mod split;
mod team;
#[cfg(test)]
pub(crate) mod testing;

pub use device::Device;
pub use team::step;
