#!/usr/bin/env bash
# Everything about CUDA that needs a GPU, on this machine's first one: the tests of every row against float64, then errors,
# GB/s and times, a captured decode step, and receipts into evidence/. Under 8 minutes; no network once built.
#   scripts/gpu_check.sh              this machine's GPU
#   scripts/gpu_check.sh --build      builds and stops: do this where there is a network
#   scripts/gpu_check.sh --emulator   the stand-in driver of the tests, small: that the check itself works
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --emulator ]; then
    cargo build --features cuda --example gpu_check
    target=${CARGO_TARGET_DIR:-target}
    kreg-kernels/tests/cuda_emu/build.sh "$target/tmp/cuda_emu" plain
    LD_LIBRARY_PATH=$(cd "$target/tmp/cuda_emu/plain" && pwd) "$target/debug/examples/gpu_check" --small --out "$target/gpu_check"
    exit
fi

tests=(--test cuda_gemv --test cuda_ops --test cuda_hybrid)
cargo build --release --features cuda --example gpu_check
cargo test --release --features cuda --no-run "${tests[@]}"
case ${1:-} in
    --build) exit ;;
    '') ;;
    *) sed -n '2,7s/^# \?//p' "$0" >&2; exit 2 ;;
esac
nvidia-smi -L || { echo "no NVIDIA driver: nothing was checked" >&2; exit 1; }
# A real device serves one test at a time: timings stay quiet, and a fault is its own test's.
CI=true KREG_CUDA=device cargo test --release --offline --features cuda "${tests[@]}" -- --test-threads=1
"${CARGO_TARGET_DIR:-target}/release/examples/gpu_check" --out .
