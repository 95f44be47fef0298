//! The generated table's row type, and everything that is computed from rows alone.
//!
//! These functions know no particular registry: the generated module passes its own table and wraps the answers in
//! its own enums.

mod plan;
mod row;

pub use plan::{Plan, Served, Tensor, plan};
pub use row::{Row, Table};
