//! Sums by subgroup operations: devices with `SUBGROUP`.

/// What stands behind the text of a weight type.
pub(in crate::wgpu) const ENTRY: [&str; 2] = [include_str!("rows.wgsl"), include_str!("subgroup.wgsl")];
