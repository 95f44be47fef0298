//! Euclidean normalisation.

pub mod per_head;
