#!/usr/bin/env bash
# Line coverage of kreg-codegen and of kreg's own code (src/, build.rs) over the project's tests: prints the table and the
# lines that no test reaches, and fails when either is below 90 %. Generated code and kernels are not counted; the generator
# is counted where it runs as a build script and in the builds that tests start.
# Needs cargo-llvm-cov (`cargo install --locked cargo-llvm-cov`) and the toolchain's llvm-tools.
#
#   scripts/coverage.sh             everything again, from clean counters
#   scripts/coverage.sh --report    the table of the last run
set -euo pipefail
cd "$(dirname "$0")/.."

export CARGO_TARGET_DIR=$PWD/target/coverage CARGO_TERM_COLOR=never
eval "$(cargo llvm-cov show-env --sh 2> /dev/null)"
# Counters in kernels would only make the tests slow. If another version of the tool has another name for this: they do.
export __CARGO_LLVM_COV_RUSTC_WRAPPER_CRATE_NAMES=${__CARGO_LLVM_COV_RUSTC_WRAPPER_CRATE_NAMES//kreg_kernels,/}

if [ "${1:-}" != --report ]; then
    [ ! -d "$CARGO_TARGET_DIR" ] || find "$CARGO_TARGET_DIR" -name '*.profraw' -delete
    # The build scripts run again, so that they count.
    touch build.rs
    # The tests that run the generator or the program. All others run kernels and generated code, as the features cuda and
    # wgpu do, and would count nothing here.
    cargo build -p kreg-codegen --examples
    cargo test -p kreg-codegen --lib --tests
    tests=(closure contracts determinism document downstream drift parity rules_page)
    cargo test -p kreg --features cli --lib --bins "${tests[@]/#/--test=}"
fi

failed=0
elsewhere='/(target|tests|benches|examples|kreg-kernels)/'
for part in kreg-codegen kreg; do
    echo "== $part"
    if [ $part = kreg ]; then other='/kreg-codegen/'; else other="^$PWD/(src/|build\.rs)"; fi
    cargo llvm-cov report --workspace --include-build-script --ignore-filename-regex "$elsewhere|$other" --show-missing-lines \
        --fail-under-lines 90 || failed=1
done
exit $failed
