#!/usr/bin/env bash
# Changes the generator one expression at a time, and asks its tests whether they notice: what survives is printed, and
# fails the run. Needs cargo-mutants (`cargo install --locked cargo-mutants`); .cargo/mutants.toml says what is changed.
#
#   scripts/mutants.sh                 everything; on two cores about an hour
#   scripts/mutants.sh --shard 0/10    a tenth of it; any arguments of cargo mutants
set -euo pipefail
cd "$(dirname "$0")/.."

# Building is most of the time: without optimisation and debug information, dependencies once for all runs.
export CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_TERM_COLOR=never
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target/mutants}
# Unit tests judge rules and plan; what is emitted is compared with whole expected modules. One test measures time.
cargo mutants --package kreg-codegen --timeout 120 --output "${MUTANTS_OUT:-target}" "$@" -- \
    --lib --test generate --test refusals --test document -- --skip planning_emitting_and_rendering --skip the_printed_module
