//! What holds of every CUDA row for any input, on the stand-in driver: inputs and shapes are drawn at random, and the
//! smallest that fails is reported. The delta rule has a file of its own, `tests/delta_rule.rs`.
#![cfg(feature = "cuda")]
#![allow(unreachable_pub, reason = "a test crate has no users")]

#[path = "../support/gpu.rs"]
mod gpu;
#[path = "../support/laws.rs"]
mod laws;

mod host;
mod norms;
mod ops;
mod positions;
mod products;
