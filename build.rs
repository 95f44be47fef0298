//! Turns `registry.json` into Rust: checks every row against the kernels' sources, its contract and its receipt, and
//! writes `$OUT_DIR/kreg.rs`, which `src/lib.rs` includes. Everything else is kreg-codegen's.

fn main() {
    kreg_codegen::Builder::new("registry.json").source_metadata("kreg-kernels").module("kreg").compile();
}
