//! The x86-64 level with AVX2, FMA and F16C.

pub mod attention;
pub mod matvec;
