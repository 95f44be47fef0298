//! Drives kreg-codegen.
fn main() {}
