// Sums and maxima over a warp and over a block. Every thread that the warp or block has must call them.
#pragma once
#include "device/types.cuh"

// The sum of all lanes' values, the same bits in every lane.
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int offset = WARP / 2; offset > 0; offset >>= 1) v += __shfl_xor_sync(ALL_LANES, v, offset);
    return v;
}

// The maximum of all lanes' values; a NaN counts as nothing.
__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
    for (int offset = WARP / 2; offset > 0; offset >>= 1) v = fmaxf(v, __shfl_xor_sync(ALL_LANES, v, offset));
    return v;
}

// This thread's number in its block, x fastest; warps are 32 consecutive numbers.
__device__ __forceinline__ u32 thread_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

// Combines the warps' results: `partial` is 32 floats of shared memory, one per warp; `neutral` stands for the rest.
// Ends with a barrier, so `partial` may be used again at once. The block is whole warps.
template <class Combine>
__device__ __forceinline__ float across_warps(float v, float neutral, float* partial, Combine combine) {
    const u32 thread = thread_in_block(), lane = thread % WARP, warp = thread / WARP;
    const u32 warps = blockDim.x * blockDim.y * blockDim.z / WARP;
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    v = combine(lane < warps ? partial[lane] : neutral);
    __syncthreads();
    return v;
}

// The sum over the block, the same bits in every thread.
__device__ __forceinline__ float block_sum(float v, float* partial) {
    return across_warps(warp_sum(v), 0.0f, partial, [](float w) { return warp_sum(w); });
}

// The maximum over the block; a NaN counts as nothing.
__device__ __forceinline__ float block_max(float v, float* partial) {
    return across_warps(warp_max(v), -__int_as_float(0x7f800000), partial, [](float w) { return warp_max(w); });
}
