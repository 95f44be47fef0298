//! Reads a kernel registry, checks it, and writes exhaustive Rust dispatch.
//!
//! `load -> check -> plan -> emit -> render -> write`: each stage is a pure function of the one before; only load reads
//! files and only write writes.

pub mod builder;
pub mod check;
pub mod digest;
pub mod emit;
pub mod facts;
pub mod finding;
pub mod load;
pub mod model;
pub mod plan;
pub mod render;
pub mod vocabulary;

pub use builder::{Builder, Generated, Report};
