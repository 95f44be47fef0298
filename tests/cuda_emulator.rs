//! The CUDA emulator reports what is wrong with a kernel, and nothing about one that is right.
#![cfg(feature = "cuda")]

mod support;

use std::process::{Command, Output};

use support::emulator;

/// A kernel of `selftest/bugs.cu`, the build that sees its fault, the order of threads, and what is said of it.
const FAULTS: [(&str, &str, &str, &str); 14] = [
    ("global_overrun", "asan", "forward", "heap-buffer-overflow"),
    ("shared_overrun", "asan", "forward", "out of bounds"),
    ("dynamic_overrun", "asan", "forward", "use-after-poison"),
    ("misaligned", "asan", "forward", "misaligned address"),
    ("missing_syncthreads", "tsan", "forward", "data race"),
    ("missing_syncwarp", "tsan", "forward", "data race"),
    ("all_write_one_word", "tsan", "forward", "data race"),
    ("divergent_barrier", "plain", "forward", "deadlock"),
    ("divergent_barrier", "plain", "random", "__syncthreads"),
    ("exited_at_barrier", "plain", "reverse", "CUDA-EMU ERROR"),
    ("divergent_shuffle", "plain", "forward", "CUDA-EMU ERROR"),
    ("divergent_shuffle", "plain", "random:3", "CUDA-EMU ERROR"),
    ("source_outside_mask", "plain", "forward", "a lane that is not in the mask"),
    ("source_outside_mask", "tsan", "reverse", "a lane that is not in the mask"),
];

fn run(folder: &std::path::Path, kernel: &str, variant: &str, order: &str) -> Output {
    let mut command = Command::new(folder.join(variant).join("selftest"));
    command.arg(kernel).env("EMU_ORDER", order).env("ASAN_OPTIONS", "detect_leaks=0");
    command.output().expect("the self-test runs")
}

#[test]
fn every_fault_is_reported() {
    let Some(folder) = emulator::built(&["plain", "asan", "tsan"]) else { return };
    for (kernel, variant, order, said) in FAULTS {
        let out = run(&folder, kernel, variant, order);
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(!out.status.success(), "{kernel} passes under {variant}, {order}");
        assert!(text.contains(said), "{kernel}, {variant}, {order}: no {said:?} in\n{text}");
        assert!(text.contains("bugs.cu:"), "{kernel}, {variant}, {order}: no line in\n{text}");
    }
}

/// Shared memory starts as NaNs: what was not written yet, or never, shows in the result.
#[test]
fn what_was_not_written_is_nan() {
    let Some(folder) = emulator::built(&["plain"]) else { return };
    let sum = |kernel: &str, order: &str| -> f64 {
        String::from_utf8_lossy(&run(&folder, kernel, "plain", order).stdout).trim().parse().unwrap()
    };
    assert!(sum("unwritten_shared", "forward").is_nan());
    assert!(sum("missing_syncthreads", "forward").is_nan());
    assert!(sum("missing_syncwarp", "forward").is_nan());
}

#[test]
fn a_right_kernel_is_right_in_every_build_and_order() {
    let Some(folder) = emulator::built(&["plain", "asan", "tsan"]) else { return };
    for variant in ["plain", "asan", "tsan"] {
        for order in ["forward", "reverse", "random", "random:9"] {
            for (kernel, sum) in [("right", "8.42112e+06"), ("right_in_a_warp", "32640")] {
                let out = run(&folder, kernel, variant, order);
                let text = String::from_utf8_lossy(&out.stderr);
                assert!(out.status.success() && text.is_empty(), "{kernel} {variant} {order}: {text}");
                assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), sum, "{kernel} {variant} {order}");
            }
        }
    }
}
