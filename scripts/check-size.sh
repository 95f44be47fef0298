#!/usr/bin/env bash
# No source file over 400 lines: one kernel, one rule, one emitter per file. (Functions over 80 lines are clippy's.)
# What a generator wrote into fixtures is not a source.
set -euo pipefail
long=$(git ls-files '*.rs' '*.cu' '*.wgsl' '*.sh' ':!*/fixtures/*' | xargs wc -l | awk '$2 != "total" && $1 > 400')
if [ -n "$long" ]; then
    echo "files over 400 lines:"
    echo "$long"
    exit 1
fi
