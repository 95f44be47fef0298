#!/usr/bin/env bash
# Runs the kernels of this machine's instruction sets under AddressSanitizer, with pages behind the last weight byte that
# cannot be read. Needs no nightly: the flag is unlocked for the toolchain that everything else is built with.
#
#   scripts/asan.sh [short|long]      default: long, every test of the levels and of the rows; short the bounds alone
set -euo pipefail
cd "$(dirname "$0")/.."
# The target is named so that build scripts and macros are built without it.
target=$(rustc -vV | sed -n 's/^host: //p')
export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/asan"
export ASAN_OPTIONS="detect_leaks=0"
asan() { cargo test --release --target "$target" "$@"; }

case "${1:-long}" in
    short) asan -p kreg-kernels --test levels --test avx512_row --test avx512_panel -- smallest past every_shape ;;
    *)
        asan -p kreg-kernels --lib --test levels --test avx512_row --test avx512_panel
        asan -p kreg --test rows --test slice --test ops
        ;;
esac
