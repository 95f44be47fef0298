// 16-bit floats from their bits, exactly: subnormals, infinities and NaNs included. Without cuda_fp16.h, which NVRTC
// does not carry.
#pragma once
#include "device/types.cuh"

// IEEE half.
__device__ __forceinline__ float f16_to_f32(u16 bits) {
#ifdef KREG_CUDA_EMU
    const u32 sign = (u32)(bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31) return __uint_as_float(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0) return __uint_as_float(sign | (exponent + 112) << 23 | fraction << 13);
    const float magnitude = (float)fraction * 5.9604644775390625e-8f;  // 2^-24
    return sign ? -magnitude : magnitude;
#else
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
#endif
}

// The upper half of an f32.
__device__ __forceinline__ float bf16_to_f32(u16 bits) {
    return __uint_as_float((u32)bits << 16);
}
