// The lowest index of the largest value; NaN is never the largest, and 0 is the answer when nothing exceeds minus
// infinity. A value and its index are one 64-bit key, larger for a larger value and then for a lower index: the maximum of
// keys is exact in any order. Blocks reduce the vector to one key each, then one block reduces those.
#include "device/types.cuh"

typedef u64 Key;

__device__ __forceinline__ Key key_of(float x, u32 i) {
    // Ascending as integers; -0 and +0 are one value, NaN and minus infinity the lowest.
    const u32 bits = x == 0.f ? 0u : __float_as_uint(x);
    const u32 rank = bits >> 31 ? ~bits : bits | 0x80000000u;
    return (Key)(x > __int_as_float(0xff800000) ? rank : 0u) << 32 | (0xffffffffu - i);
}

__device__ __forceinline__ Key warp_max(Key key) {
#pragma unroll
    for (int o = WARP / 2; o > 0; o >>= 1) {
        const Key other = __shfl_xor_sync(ALL_LANES, key, o);
        key = key > other ? key : other;
    }
    return key;
}

// The largest key of a block of whole warps.
__device__ __forceinline__ Key block_max(Key key) {
    __shared__ Key part[WARP];
    const u32 lane = threadIdx.x % WARP, warps = blockDim.x / WARP;
    key = warp_max(key);
    if (lane == 0) part[threadIdx.x / WARP] = key;
    __syncthreads();
    return warp_max(lane < warps ? part[lane] : 0);
}

extern "C" __global__ void __launch_bounds__(256)
    argmax_part(const float* __restrict__ x, u32 n, Key* __restrict__ parts) {
    Key best = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        const Key key = key_of(x[i], (u32)i);
        best = best > key ? best : key;
    }
    best = block_max(best);
    if (threadIdx.x == 0) parts[blockIdx.x] = best;
}

extern "C" __global__ void __launch_bounds__(256)
    argmax(const Key* __restrict__ parts, u32 count, u32* __restrict__ index) {
    Key best = 0;
    for (u32 i = threadIdx.x; i < count; i += blockDim.x) best = best > parts[i] ? best : parts[i];
    best = block_max(best);
    if (threadIdx.x == 0) *index = 0xffffffffu - (u32)best;
}
