//! Sums through the memory of the workgroup: every device can.

/// What stands behind the text of a weight type.
pub(in crate::wgpu) const ENTRY: [&str; 2] = [include_str!("rows.wgsl"), include_str!("plain.wgsl")];
