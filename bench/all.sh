#!/usr/bin/env bash
# Everything that issue 3 asks of the bench, in one go: builds, then measures for about ten minutes on a machine that must
# do nothing else. Writes ../evidence/bench: peers (every type, 4096 x 4096), shapes (matrices of a 1B and an 8B model),
# avx2 (kreg without AVX-512), models (a whole model beside llama.cpp). Prints each bound and whether it holds.
set -euo pipefail
cd "$(dirname "$0")"
model=${1:-$(../scripts/fetch-smollm2.sh)}

cargo build --release --bins
peers=target/release/peers
$peers --seconds 0.05
$peers --name shapes --shapes 1b,8b --types f16,q4_0,q8_0,q4_k,q6_k,iq3_s --m 1,8 --seconds 0.03 --rounds 3
KREG_ISA=avx2 $peers --name avx2 --m 1,512 --seconds 0.03 --rounds 3
target/release/models "$model" --out ../evidence/bench
