#!/usr/bin/env bash
# The CUDA weight rows on the emulator: in three orders, with ASan and UBSan, and each recorded launch again with TSan.
# (tests/cuda_ops does the like for the ops.)
# Needs a C++17 compiler with sanitizers (g++). Arguments go to cargo test instead of --test=cuda_gemv.
set -euo pipefail
cd "$(dirname "$0")/.."
export CI=true   # a skip is a failure
tests=("${@:---test=cuda_gemv}")
run() { cargo test --quiet --features cuda "${tests[@]}"; }

for order in forward reverse; do
    echo "order $order"
    EMU_ORDER=$order run
done

echo "order random, recorded"
records=$(mktemp -d)
trap 'rm -rf "$records"' EXIT
EMU_ORDER=random EMU_RECORD=$records EMU_RECORD_LIMIT=$((64 << 10)) run

echo "address and undefined-behaviour sanitizers"
triple=$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')
export "CARGO_TARGET_${triple}_RUNNER=env LD_PRELOAD=$(g++ -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 KREG_EMU=asan"
EMU_ORDER=random:2 run

echo "thread sanitizer"
out=${CARGO_TARGET_DIR:-target}/tmp/cuda_emu
kreg-kernels/tests/cuda_emu/build.sh "$out" tsan
find "$records" -name '*.launch' -print0 | EMU_ORDER=random:3 TSAN_OPTIONS=halt_on_error=1 xargs -0 "$out/tsan/replay"
