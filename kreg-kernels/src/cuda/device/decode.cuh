// From packed codes to floats, four at a time, without integer-to-float conversions: those run at an eighth of the speed
// of everything else here.
#pragma once
#include "device/types.cuh"

// The four bytes of `bytes` as floats, less `bias`; exact. A byte below the exponent of 2^23 is 2^23 + byte.
__device__ __forceinline__ void spread(u32 bytes, float bias, float* out) {
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        out[i] = __uint_as_float(__byte_perm(bytes, 0x4b000000u, 0x7440u + i)) - (8388608.0f + bias);
    }
}

// As above, of signed bytes.
__device__ __forceinline__ void spread_signed(u32 bytes, float* out) {
    spread(bytes ^ 0x80808080u, 128.0f, out);
}

// Four consecutive bits of `bits`, from bit `from` up, as the lowest bits of four bytes.
__device__ __forceinline__ u32 four_bits(u32 bits, u32 from) {
    return ((bits >> from & 15) * 0x00204081u) & 0x01010101u;
}

__device__ __forceinline__ u32 byte_of(u32 word, u32 i) {
    return word >> (8 * i) & 255;
}

// `value`, with the sign changed when bit `i` of `signs` is set.
__device__ __forceinline__ float signed_by(float value, u32 signs, u32 i) {
    return __uint_as_float(__float_as_uint(value) ^ (signs << (31 - i) & 0x80000000u));
}

// Eight signs of which seven bits are stored: the eighth makes the number of minus signs even.
__device__ __forceinline__ u32 eight_signs(u32 seven) {
    return (seven & 127) | (__popc(seven & 127) & 1u) << 7;
}

// w = d q, of eight weights.
__device__ __forceinline__ void scale(float d, float* w) {
#pragma unroll
    for (u32 i = 0; i < 8; i++) w[i] *= d;
}

// w = d q + m; d q is exact, so the sum is the only rounding.
__device__ __forceinline__ void scale_and_add(float d, float m, float* w) {
#pragma unroll
    for (u32 i = 0; i < 8; i++) w[i] = d * w[i] + m;
}
