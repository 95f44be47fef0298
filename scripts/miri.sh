#!/usr/bin/env bash
# Runs a part of the tests in Miri, which finds undefined behaviour that happens to work: the portable and exact kernels
# on the smallest matrices, the ops, matrices at odd addresses, binding and selection.
#
#   scripts/miri.sh [short|long|fetch]      default: long; short is what .ci/run has time for; fetch brings Miri here
set -euo pipefail
cd "$(dirname "$0")/.."
nightly=${KREG_NIGHTLY:-nightly-2026-10-30}
cargo "+$nightly" miri --version > /dev/null 2>&1 ||
    rustup toolchain install "$nightly" --profile minimal --component miri,rust-src --no-self-update
[ "${1:-}" != fetch ] || exit 0
# Tests read fixtures. Rayon's deque is not for Miri's default borrow model, its threads never end, and crossbeam keeps
# bits in pointers, which is allowed and warned of.
export MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-tree-borrows -Zmiri-ignore-leaks -Zmiri-permissive-provenance"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/miri" RAYON_NUM_THREADS=1
miri() { cargo "+$nightly" miri test "$@"; }

miri -p kreg-kernels --test levels -- the_smallest
miri -p kreg-kernels --lib -- matrix:: target:: registry:: workspace:: cpu::split::
miri -p kreg --test selection --test dispatch
[ "${1:-long}" = short ] || miri -p kreg-kernels --lib -- cpu::portable:: reference::
[ "${1:-long}" = short ] || miri -p kreg --test ops
