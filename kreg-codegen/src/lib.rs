//! Reads a kernel registry, checks it, and writes exhaustive Rust dispatch.
