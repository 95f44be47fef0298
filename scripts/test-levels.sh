#!/usr/bin/env bash
# Runs the tests of kernels and of rows at every instruction-set level that this machine can run or emulate.
#
#   scripts/test-levels.sh [--only LEVEL[,LEVEL…]] [cargo test arguments]      default: every level, the two sets below
#
# Levels: native, Haswell and Nehalem (x86-64 under qemu-x86_64), cortex-a53 and max (aarch64 under qemu-aarch64).
# A level that cannot be run is named with the reason; with CI=true that is a failure. QEMU has no AVX-512: those levels
# run natively or not at all.
set -uo pipefail
cd "$(dirname "$0")/.."

# The kernels called directly, then through the registry: rows that the machine lacks are named and left out.
kernels=(--release -p kreg-kernels --lib --test levels)
rows=(--release -p kreg --test levels --test slice --test rows --test golden --test ops)
levels=(native Haswell Nehalem cortex-a53 max)
if [ "${1:-}" = --only ]; then
    IFS=, read -ra levels <<< "${2:-}"
    shift 2
fi
given=("$@")
status=0

# Runs one level: its name, then what stands before the arguments of `cargo test`.
level() {
    echo "== $1 (${SECONDS}s)"
    if [ ${#given[@]} -gt 0 ]; then
        "${@:2}" "${given[@]}" || { echo "== $1: FAILED"; status=1; }
        return
    fi
    "${@:2}" "${kernels[@]}" || { echo "== $1, kernels: FAILED"; status=1; }
    "${@:2}" "${rows[@]}" || { echo "== $1, rows: FAILED"; status=1; }
}

# Names a level that cannot be run.
skip() {
    echo "== $1: cannot run: $2"
    [ "${CI:-}" != true ] || status=1
}

have() { command -v "$1" > /dev/null; }

# Tests under an x86-64 CPU model that has less than this machine.
x86() {
    local name="$1 ($2)"
    if [ "$(uname -m)" != x86_64 ]; then skip "$name" "not an x86-64 machine"
    elif ! have qemu-x86_64; then skip "$name" "no qemu-x86_64 (package qemu-user)"
    else
        level "$name" env KREG_TEST_LEVEL="$2" CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="qemu-x86_64 -cpu $1" \
            cargo test
    fi
}

# Tests under an aarch64 CPU model.
aarch64() {
    local name="$1 ($2)" target=aarch64-unknown-linux-gnu
    if ! have qemu-aarch64; then skip "$name" "no qemu-aarch64 (package qemu-user)"
    elif ! have aarch64-linux-gnu-gcc; then skip "$name" "no aarch64-linux-gnu-gcc (packages gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)"
    elif ! [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then skip "$name" "rustup target add $target"
    else
        level "$name" env KREG_TEST_LEVEL="$2" CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
            CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu $1" \
            cargo test --target "$target"
    fi
}

for level in "${levels[@]}"; do
    case $level in
        native) level native cargo test ;;
        Haswell) x86 Haswell avx2 ;;
        Nehalem) x86 Nehalem portable ;;
        cortex-a53) aarch64 cortex-a53 neon ;;
        max) aarch64 max neon_dotprod ;;
        *) echo "test-levels: no level is called '$level'" >&2; exit 2 ;;
    esac
done
exit $status
