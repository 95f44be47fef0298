#!/usr/bin/env bash
# How long a dependent waits for kreg the first time: a release and a dev build of the default features from nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo fetch --quiet
for profile in dev release; do
    target=$(mktemp -d)
    start=$(date +%s.%N)
    CARGO_TARGET_DIR=$target cargo build --offline --quiet -p kreg --profile "$profile"
    end=$(date +%s.%N)
    printf '%-8s %5.1f s on %s cores\n' "$profile" "$(echo "$end - $start" | bc)" "$(nproc)"
    rm -rf "$target"
done
