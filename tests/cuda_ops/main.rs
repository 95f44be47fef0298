//! Every cuda op row against its float64 definition, on the stand-in driver.
#![cfg(feature = "cuda")]

#[path = "../support/gpu.rs"]
mod gpu;

mod attention;
mod elementwise;
mod gdn;
mod golden;
mod heads;
mod logits;
mod positions;
mod refusals;
mod rotary;
mod variants;
