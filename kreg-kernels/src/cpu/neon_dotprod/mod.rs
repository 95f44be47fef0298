//! The aarch64 level with NEON and its four-way dot product.

pub mod matvec;
