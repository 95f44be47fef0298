//! An engine with a registry of its own, dispatched in a module of its own.

pub mod kernels;

/// Generated from `registry.json`.
pub mod dispatch {
    include!(concat!(env!("OUT_DIR"), "/dispatch.rs"));
}
