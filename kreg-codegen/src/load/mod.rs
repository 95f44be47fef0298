//! Text and files to data: the only stage that reads files.
//!
//! | module | reads | gives |
//! |---|---|---|
//! | [`registry`](mod@registry) | `registry.json` | rows that know their line |
//! | [`sources`] | the kernel crates' `src` folders | every public function that a crate compiles |
//! | [`contract`] | `contracts/*.yaml` | what each op promises |
//! | [`receipt`] | `evidence/kreg/parity/*.json` | what was measured |

pub mod contract;
pub(crate) mod fields;
mod json;
pub mod receipt;
pub mod registry;
pub mod sources;

pub use registry::registry;
