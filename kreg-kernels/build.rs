//! Publishes where the kernel sources lie, so that a registry can be checked against them.

fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    println!("cargo::metadata=SRC={root}/src");
    println!("cargo::rerun-if-changed=build.rs");
}
