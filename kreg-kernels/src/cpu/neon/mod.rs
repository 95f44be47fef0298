//! The aarch64 level with NEON.

pub mod attention;
pub mod matvec;
