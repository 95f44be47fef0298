//! Kernels that kreg-kernels does not have.

pub mod q8_0;
