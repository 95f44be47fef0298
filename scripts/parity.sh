#!/usr/bin/env bash
# Measures the CPU rows: those of this machine here, those of aarch64 under qemu (or here, on such a machine).
#
#   scripts/parity.sh                   every row again; writes receipts and names them in registry.json
#   scripts/parity.sh ID…               these rows; `*` stands for any text
#   scripts/parity.sh --check [ID…]     what is committed, measured again; writes nothing
#
# Rows that nothing here can run are named with the reason; with CI=true that is a failure. Run it after the last change
# to a kernel, then commit evidence/ and registry.json together.
set -uo pipefail
cd "$(dirname "$0")/.."
unset KREG_DENY_STALE   # stale receipts are why this runs

mode=--register
if [ "${1:-}" = --check ]; then mode=--check; shift; fi
here=() there=()
for id in "$@"; do
    case $id in *aarch64*) there+=("$id") ;; *) here+=("$id") ;; esac
done
if [ $# -eq 0 ]; then there=('*.aarch64.*'); fi
status=0

if [ $# -eq 0 ] || [ ${#here[@]} -gt 0 ]; then
    cargo run --release --quiet --features cli --bin kreg -- parity $mode ${here[@]+"${here[@]}"} || status=1
fi

cannot() {
    echo "${there[*]}: not measured: $1"
    [ "${CI:-}" != true ] || status=1
}

if [ ${#there[@]} -gt 0 ]; then
    target=aarch64-unknown-linux-gnu
    if [ "$(uname -m)" = aarch64 ]; then
        [ $# -eq 0 ] || cargo run --release --quiet --features cli --bin kreg -- parity $mode "${there[@]}" || status=1
    elif ! command -v qemu-aarch64 > /dev/null; then cannot "no qemu-aarch64 (package qemu-user)"
    elif ! command -v aarch64-linux-gnu-gcc > /dev/null; then
        cannot "no aarch64-linux-gnu-gcc (packages gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)"
    elif ! [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then cannot "rustup target add $target"
    else
        version=$(qemu-aarch64 --version | sed -n 's/^qemu-aarch64 version \([0-9.]*\).*/\1/p')
        KREG_EMULATOR="qemu-aarch64 $version -cpu max" \
            CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
            CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu max" \
            cargo run --release --quiet --features cli --bin kreg --target "$target" -- parity $mode "${there[@]}" || status=1
    fi
fi
exit $status
