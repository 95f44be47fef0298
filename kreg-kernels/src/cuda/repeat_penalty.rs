//! Making tokens of the recent context less likely.

pub mod host;
