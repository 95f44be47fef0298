//! What the tests of the generated rows share.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

#[cfg(feature = "cuda")]
pub mod emulator;
pub mod fixture;
pub mod kernel;
pub mod laws;
pub mod ops;
pub mod verdict;
