#!/usr/bin/env bash
# build.sh OUT [plain|asan|tsan]...: compiles every .cu below kreg-kernels/src/cuda into
#   OUT/VARIANT/libcuda.so.1   the stand-in driver (not for tsan: see README.md)
#   OUT/VARIANT/replay         runs recorded launches again
#   OUT/VARIANT/selftest       runs kernels that are wrong on purpose (selftest/bugs.cu)
# Only what is older than its sources is compiled. Environment: CXX; EMU_SOURCES, more folders with .cu files;
# EMU_WITHOUT="cuGraphLaunch …", driver functions to hide, into OUT/VARIANT/without/libcuda.so.1.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1
shift
variants=("${@:-plain}")
cxx=${CXX:-g++}
command -v "$cxx" >/dev/null || { echo "build.sh: no $cxx: the CUDA emulator needs a C++17 compiler" >&2; exit 3; }
mkdir -p "$out"
exec 9>"$out/lock"
flock 9
cuda=$(cd "$here/../../src/cuda" && pwd)
sources=("$cuda")
# shellcheck disable=SC2206 # a list of folders
[ -n "${EMU_SOURCES:-}" ] && sources+=($EMU_SOURCES)
headers=$(find "$here/include" "$here/runtime" "$here/driver" "${sources[@]}" -name '*.h' -o -name '*.cuh')
newest_header=$(ls -t $headers | head -1)

# Prints the flags of a variant: of kernels, then of the runtime and driver, which are not instrumented.
flags() {
    local common="-std=c++17 -g -fPIC -ffp-contract=off -I$here/include -I$cuda -Wall -Wno-unknown-pragmas -Wno-unused-function -Wno-parentheses"
    case $1-$2 in
        plain-*) echo "$common -O1" ;;
        asan-kernel) echo "$common -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -fsanitize-sections=emu_*" ;;
        asan-host) echo "$common -O2 -DEMU_ASAN" ;;
        tsan-kernel) echo "$common -O1 -fsanitize=thread" ;;
        tsan-host) echo "$common -O2 -DEMU_TSAN" ;;
        *) echo "build.sh: no variant $1" >&2; exit 2 ;;
    esac
}

link_flags() {
    case $1 in
        asan) echo "-fsanitize=address,undefined" ;;
        tsan) echo "-fsanitize=thread" ;;
    esac
}

# The generated file around one .cu: an anonymous namespace, so that two files may use one name for two things.
unit() {
    local cu=$1 name=$2
    printf '// Made by build.sh.\n#define EMU_SHARED_SECTION "emu_%s"\n#include "cuda_emu.h"\nnamespace {\n#include "%s"\n}\nEMU_UNIT(emu_%s)\n' \
        "$name" "$cu" "$name"
    tr '\n' ' ' <"$cu" |
        grep -oE 'extern "C" +__global__ +void +(__launch_bounds__ *\([^)]*\) *|[A-Z_]+ +)?[a-z][A-Za-z_0-9]* *\(' |
        sed -E 's/.*[ )]([A-Za-z_][A-Za-z_0-9]*) *\($/EMU_KERNEL(\1)/' || { echo "build.sh: $cu has no extern \"C\" __global__ function" >&2; exit 2; }
}

# Adds "object source flags" lines for what has to be compiled.
plan() {
    local variant=$1 dir=$2 source object
    for source in "$here"/runtime/*.cpp; do
        object=$dir/runtime_$(basename "$source" .cpp).o
        stale "$object" "$source" && echo "$object $source $(flags "$variant" host)"
    done
    for source in "$here"/{driver,replay,selftest}/*.cpp; do  # the same in every variant
        object=$out/$(basename "$(dirname "$source")")_$(basename "$source" .cpp).o
        stale "$object" "$source" && echo "$object $source $(flags plain host)"
    done
    while IFS= read -r source; do
        local name=${source#"$cuda"/}
        name=$(echo "${name%.cu}" | tr -c 'A-Za-z0-9\n' '_')
        object=$dir/unit_$name.o
        echo "$object" >>"$dir/units"
        stale "$object" "$source" || continue
        unit "$source" "$name" >"$dir/$name.cpp"
        echo "$object $dir/$name.cpp $(flags "$variant" kernel)"
    done < <(find "${sources[@]}" -name '*.cu' | sort)
    if stale "$dir/bugs.o" "$here/selftest/bugs.cu"; then
        unit "$here/selftest/bugs.cu" bugs >"$dir/bugs.cpp"
        echo "$dir/bugs.o $dir/bugs.cpp $(flags "$variant" kernel)"
    fi
}

stale() {
    [ ! -e "$1" ] || [ "$2" -nt "$1" ] || [ "$newest_header" -nt "$1" ] || [ "$here/build.sh" -nt "$1" ]
}

for variant in "${variants[@]}"; do
    dir=$out/$variant
    mkdir -p "$dir"
    : >"$dir/units"
    plan "$variant" "$dir" >"$dir/plan"
    # shellcheck disable=SC2016 # expanded by the inner shell
    xargs -r -P "$(nproc)" -L 1 sh -c 'cxx=$1 object=$2 source=$3; shift 3; "$cxx" "$@" -c "$source" -o "$object.new" && mv "$object.new" "$object"' \
        sh "$cxx" <"$dir/plan"
    units=$(cat "$dir/units")
    link=$(link_flags "$variant")
    "$cxx" $link -o "$dir/replay.new" "$out"/replay_*.o "$dir"/runtime_*.o $units
    mv "$dir/replay.new" "$dir/replay"
    # Put in place whole: another test may be running what stood there.
    "$cxx" $link -o "$dir/selftest.new" "$out"/selftest_*.o "$dir"/runtime_*.o "$dir/bugs.o"
    mv "$dir/selftest.new" "$dir/selftest"
    [ "$variant" = tsan ] && continue
    "$cxx" -shared $link -Wl,-soname,libcuda.so.1 -o "$dir/libcuda.so.new" "$out"/driver_*.o "$dir"/runtime_*.o $units
    mv "$dir/libcuda.so.new" "$dir/libcuda.so.1"
    if [ -n "${EMU_WITHOUT:-}" ]; then
        mkdir -p "$dir/without"
        { echo '{ local:'; for s in $EMU_WITHOUT; do echo "$s;"; done; echo '};'; } >"$dir/without/hide"
        "$cxx" -shared $link -Wl,-soname,libcuda.so.1 -Wl,--version-script="$dir/without/hide" \
            -o "$dir/without/libcuda.so.new" "$out"/driver_*.o "$dir"/runtime_*.o $units
        mv "$dir/without/libcuda.so.new" "$dir/without/libcuda.so.1"
    fi
done
