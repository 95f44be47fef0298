//! Drawing the next token on the host.

pub mod host;
pub mod host_seeded;
pub mod host_topk;
