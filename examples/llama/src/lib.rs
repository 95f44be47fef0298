//! A small Llama engine, written as a downstream of kreg would be: it depends on kreg's public API alone, and every
//! product and op goes through kreg's dispatch.
//!
//! | module | does |
//! |---|---|
//! | [`args`] | the command line |
//! | [`config`] | hyper-parameters from the file's metadata |
//! | [`model`] | readiness first, then every weight bound to its kernel where it lies in the file |
//! | [`session`] | key and value caches, and the forward pass |
//! | [`sampler`] | the next token from logits |
//! | [`tokenizer`] | text to tokens and back |
//! | [`mod@generate`] | a prompt and what follows it |

pub mod args;
pub mod config;
mod embedding;
pub mod error;
pub mod generate;
pub mod model;
mod product;
pub mod sampler;
pub mod session;
pub mod tokenizer;

pub use config::Config;
pub use error::Error;
pub use generate::{Stats, generate};
pub use model::{Model, readiness};
pub use sampler::{Sampler, Sampling};
pub use session::Session;
pub use tokenizer::Tokenizer;
