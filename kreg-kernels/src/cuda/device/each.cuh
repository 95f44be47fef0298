// The elements that a thread of a one-dimensional grid takes: its own, and those a grid further on.
#pragma once
#include "device/types.cuh"

#define FOR_EACH(i, n)                                                              \
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)(n); \
         i += (size_t)gridDim.x * blockDim.x)

// The same for warps: every lane of a warp gets the same i.
#define FOR_EACH_OF_WARP(i, n)                                                                 \
    for (size_t i = (size_t)blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP; i < (size_t)(n); \
         i += (size_t)gridDim.x * (blockDim.x / WARP))
