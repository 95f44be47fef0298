//! The level that every machine has: plain Rust, written so that the compiler vectorises it.

pub mod matvec;
