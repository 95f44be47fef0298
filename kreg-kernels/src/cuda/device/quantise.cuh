// x in 8 bits, for the kernels that multiply integers: blocks of 32, each with scale = amax / 127 and codes
// x * (127 / amax), rounded to the nearest, halves to even. A block so small that 127 / amax is no finite float is zero;
// a block that is not finite has the scale NaN, so that every product with it is NaN.
//
// `codes` is cols bytes, followed by cols / 32 scales; cols is a multiple of 256. A warp makes a block at a time.
#pragma once
#include "device/reduce.cuh"
#include "device/types.cuh"

__device__ __forceinline__ void quantise(const float* x, i8* codes, u32 cols) {
    float* scales = (float*)(codes + cols);
    const u32 lane = threadIdx.x % WARP, warps = gridDim.x * blockDim.x / WARP;
    for (u32 block = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; block < cols / 32; block += warps) {
        const float v = x[block * 32 + lane];
        const float amax = warp_max(fabsf(v));
        const bool finite = __all_sync(ALL_LANES, fabsf(v) <= 3.40282347e38f);
        const float inverse = 127.0f / amax;
        const bool zero = !(inverse <= 3.40282347e38f);
        const int code = finite && !zero ? max(-127, min(127, __float2int_rn(v * inverse))) : 0;
        codes[block * 32 + lane] = (i8)code;
        if (lane == 0) scales[block] = !finite ? __int_as_float(0x7fc00000) : zero ? 0.0f : amax / 127.0f;
    }
}
