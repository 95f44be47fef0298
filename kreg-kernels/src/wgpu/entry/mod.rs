//! How the invocations of a workgroup share rows and add up: the part of a kernel that weight types have in common.

pub(super) mod plain;
pub(super) mod subgroup;
