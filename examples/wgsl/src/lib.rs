//! Nothing but a place for `tests/wgsl.rs`.
