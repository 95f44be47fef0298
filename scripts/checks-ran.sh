#!/usr/bin/env bash
# Holds the output of `cargo test` to the contracts: every test that a contract names under `checks` must have passed.
#
#   scripts/checks-ran.sh LOG        LOG: output of `cargo test --workspace --no-fail-fast`
set -euo pipefail
cd "$(dirname "$0")/.."

log=$1 missing=0 n=0
checks=$(sed -sn '/^checks:/,$ s/^  - //p' contracts/*.yaml | sort -u)
while read -r check; do
    n=$((n + 1))
    # The binary of a target is named after it; a test's line stands below its binary's.
    target=${check%%::*} test=${check#*::}
    awk -v target="${target##*/}" -v test="$test" '
        /^ *Running / { inside = index($0, "/" target "-") > 0 }
        inside && $1 == "test" && $2 == test && $NF == "ok" { found = 1 }
        END { exit !found }' "$log" || { echo "did not run: $check"; missing=1; }
done <<< "$checks"
echo "$n checks of contracts looked for"
exit $missing
