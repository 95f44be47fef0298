#!/usr/bin/env bash
# Compiles every .cu of the kernels to the PTX beside it, with the pinned NVRTC from PyPI. No GPU and no toolkit needed.
#   scripts/ptx.sh            writes what is out of date
#   scripts/ptx.sh --check    writes nothing; fails when a PTX is not what its source compiles to
#   scripts/ptx.sh --ptxas    assembles the PTX for each architecture: no spills; writes evidence/cuda/ptxas.csv
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${KREG_PTX_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kreg-ptx}

# wheel NAME VERSION: its folder in the cache, installed when it is not there
wheel() {
    local folder="$cache/$1-$2"
    if [ ! -d "$folder/nvidia" ]; then
        rm -rf "$folder.part"
        python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
            --no-deps --target "$folder.part" "$1==$2" >&2
        mv "$folder.part" "$folder"
    fi
    echo "$folder"
}

# 12.0 writes PTX ISA 8.0, which every driver since 525 reads. ptxas of 12.9 knows every architecture from 7.0 to 12.0.
nvrtc=$(wheel nvidia-cuda-nvrtc-cu12 12.0.140)/nvidia/cuda_nvrtc/lib/libnvrtc.so.12
case ${1:-} in
    '') exec python3 scripts/ptx.py "$nvrtc" ;;
    --check) exec python3 scripts/ptx.py "$nvrtc" --check ;;
    --ptxas)
        ptxas=$(wheel nvidia-cuda-nvcc-cu12 12.9.86)/nvidia/cuda_nvcc/bin/ptxas
        chmod +x "$ptxas"
        exec python3 scripts/ptxas.py "$ptxas"
        ;;
    *) sed -n '2,5s/^# \?//p' "$0" >&2; exit 2 ;;
esac
