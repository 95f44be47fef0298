//! This file's other tests again: in other orders of threads, and under the sanitizers.

use std::path::Path;
use std::process::Command;

use crate::gpu::emulator;

/// This program without the tests of this file.
fn again(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--skip", "variants::", "--test-threads", "2"]).env("KREG_EMU", name);
    command
}

fn run(mut command: Command, what: &str) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{what}\n{}\n{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn orders() {
    if emulator::folder().is_none() {
        return;
    }
    for order in ["reverse", "random:1", "random:2"] {
        let mut command = again("plain");
        command.env("EMU_ORDER", order);
        run(command, order);
    }
}

#[test]
fn address_and_undefined_behaviour_sanitizer() {
    if emulator::folder().is_none() {
        return;
    }
    let library = Command::new("gcc").arg("-print-file-name=libasan.so").output().unwrap().stdout;
    let mut command = again("asan");
    command.env("LD_PRELOAD", String::from_utf8(library).unwrap().trim());
    command.env("ASAN_OPTIONS", "detect_leaks=0").env("EMU_ORDER", "random:3");
    run(command, "asan");
}

/// TSan needs a whole process of its own: launches are recorded, and run again there.
#[test]
fn thread_sanitizer() {
    let Some(folder) = emulator::folder() else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/kreg-kernels/tests/cuda_emu/build.sh");
    let out: &Path = folder.parent().unwrap();
    let mut build = Command::new("bash");
    build.arg(script).arg(out).arg("tsan");
    run(build, "building the tsan variant");
    let launches = tempfile::tempdir().unwrap();
    let mut command = again("plain");
    command.env("EMU_RECORD", launches.path()).env("EMU_RECORD_LIMIT", "300000");
    run(command, "recording");
    let files: Vec<_> =
        std::fs::read_dir(launches.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() > 100, "{} launches were recorded", files.len());
    let mut replay = Command::new(out.join("tsan/replay"));
    replay.args(&files).env("EMU_ORDER", "random:4");
    run(replay, "replaying");
}
