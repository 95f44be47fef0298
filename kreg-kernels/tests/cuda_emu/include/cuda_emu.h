// CUDA C++ for a C++17 host compiler: included before a `.cu` file, it makes the unmodified source run on the CPU.
// One fiber per CUDA thread; see ../README.md. Only what kernels need is here: the machinery is in ../runtime.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <algorithm>
#include <type_traits>
#include <utility>

#include "emu/vector.h"
#include "emu/thread.h"
#include "emu/language.h"
#include "emu/warp.h"
#include "emu/atomic.h"
#include "emu/integer.h"
#include "emu/float.h"
#include "emu/kernel.h"
