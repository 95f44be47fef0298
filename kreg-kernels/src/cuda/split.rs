//! Separating interleaved vectors.

pub mod interleaved;
