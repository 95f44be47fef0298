//! Causal depthwise convolution.

pub mod silu;
