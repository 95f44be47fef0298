// Four products of signed bytes, added to an integer (compute capability 6.1 and up). As PTX: NVRTC 12.0 declares the
// intrinsic and does not define it.
#pragma once
#include "device/types.cuh"

__device__ __forceinline__ int dp4a(int a, int b, int c) {
#ifdef KREG_CUDA_EMU
    return __dp4a(a, b, c);
#else
    int sum;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
#endif
}
