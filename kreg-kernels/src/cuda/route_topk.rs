//! Choosing experts.

pub mod host;
