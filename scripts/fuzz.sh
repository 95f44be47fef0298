#!/usr/bin/env bash
# Runs each fuzz target for a while under AddressSanitizer, from the project's own files. Needs cargo-fuzz, and no nightly:
# the flags of a fuzzer are unlocked for the toolchain that everything else is built with.
#
#   scripts/fuzz.sh [SECONDS]        default: 60 each; 0: each target reads its seeds once
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
command -v cargo-fuzz > /dev/null || cargo install --quiet --locked cargo-fuzz --version 0.13.2
export RUSTC_BOOTSTRAP=1
targets=(registry contract receipt ids bind)
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
(cd "$seeds" && mkdir "${targets[@]}")
for file in registry.json kreg-codegen/fixtures/{world,pass/*}/registry.json; do cp "$file" "$seeds/registry/${file//\//-}"; done
cp contracts/*.yaml "$seeds/contract"
cp evidence/kreg/parity/cpu.*.f32.json "$seeds/receipt"
for folder in evidence/kreg/oracle/*/; do
    cp "$folder/x.bin" "$seeds/ids/$(basename "$folder")"
    head -c 4000 "$folder/weights.bin" > "$seeds/bind/$(basename "$folder")"
done

cargo fuzz build
limit=(-max_total_time="$seconds")
[ "$seconds" != 0 ] || limit=(-runs=0)
for target in "${targets[@]}"; do
    echo "== $target"
    log=$seeds/$target.log
    if ! cargo fuzz run "$target" "$seeds/$target" -- "${limit[@]}" -max_len=131072 -print_final_stats=1 > "$log" 2>&1; then
        tail -40 "$log"
        echo "$target: failed"
        exit 1
    fi
    grep -E "stat::(number_of_executed|new_units)" "$log"
done
