//! Turns `registry.json` into Rust: checks every row against the kernels' sources, its contract and its receipt, and
//! writes `$OUT_DIR/kreg.rs`, which `src/lib.rs` includes. Everything else is kreg-codegen's.

fn main() {
    if std::env::var_os("CARGO_FEATURE_CLI").is_some() {
        println!("cargo::rustc-env=KREG_TOOLCHAIN={}", toolchain());
    }
    kreg_codegen::Builder::new("registry.json").source_metadata("kreg-kernels").module("kreg").compile();
}

/// Compiler, profile and target, for the receipts that the program `kreg` writes.
fn toolchain() -> String {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let version = std::process::Command::new(variable("RUSTC")).arg("--version").output();
    let version =
        version.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned()).unwrap_or_default();
    format!("{version} {} {}", variable("PROFILE"), variable("TARGET"))
}
