//! kreg
pub use kreg_kernels as kernels;
