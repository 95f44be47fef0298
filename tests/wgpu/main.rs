//! Every wgpu row on every Vulkan, Metal or Direct3D 12 device that is found, real or software:
//! `VK_ICD_FILENAMES=$(scripts/vulkan-devices.sh) cargo test --features wgpu --test wgpu`.
//!
//! Without a device each test says so and passes; with `CI=true` it fails, and there must be two kinds.

#![allow(unreachable_pub, reason = "a test is a crate of its own")]

#[path = "../support/mod.rs"]
mod support;

mod devices;
mod product;
mod properties;
mod refusals;
mod rows;
mod slice;
mod split;
