//! The aarch64 level with NEON.

pub mod matvec;
