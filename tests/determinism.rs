//! This repository becomes the same bytes for Cargo and for people, in whatever folder they stand.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const RUNS: usize = 20;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn expand() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--offline", "--quiet", "-p", "kreg-codegen", "--example", "expand", "--target-dir"])
        .arg(target)
        .current_dir(root())
        .status();
    assert!(built.unwrap().success());
    target.join("debug/examples/expand")
}

#[test]
fn from_twenty_folders_the_module_is_the_same() {
    let expand = expand();
    let mut outputs = BTreeSet::new();
    let folders = root().ancestors().chain(Path::new(env!("CARGO_TARGET_TMPDIR")).ancestors()).cycle();
    for folder in folders.take(RUNS) {
        let output = Command::new(&expand).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        outputs.insert(output.stdout);
    }
    // The crate's own build script is one more run, told of the sources by Cargo.
    outputs.insert(include_bytes!(concat!(env!("OUT_DIR"), "/kreg.rs")).to_vec());
    assert_eq!(outputs.len(), 1);

    let module = String::from_utf8(outputs.pop_first().unwrap()).unwrap();
    let rustc = Command::new("rustc").arg("-V").output().unwrap().stdout;
    let version = String::from_utf8(rustc).unwrap().split(' ').nth(1).unwrap().to_owned();
    let seconds = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let year = (1970 + seconds / 31_556_952).to_string();
    for machine in [root().to_str().unwrap(), &version, &year, "/tmp", "/home", "rustc", "\r"] {
        assert!(!module.contains(machine), "the module names {machine:?}");
    }
}
