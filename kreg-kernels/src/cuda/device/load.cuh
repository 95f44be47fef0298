// Loads of read-only global memory. GGUF blocks are 2-byte aligned; `Align` is what the caller knows of the address, in
// bytes: a power of two, 2 or more.
#pragma once
#include "device/types.cuh"

__device__ __forceinline__ u32 load_u8(const u8* p) {
    return __ldg(p);
}

__device__ __forceinline__ u32 load_u16(const u8* p) {
    return __ldg((const u16*)p);
}

template <int Align>
__device__ __forceinline__ u32 load_u32(const u8* p) {
    if (Align >= 4) return __ldg((const u32*)p);
    return load_u16(p) | load_u16(p + 2) << 16;
}

template <int Align>
__device__ __forceinline__ uint2 load_u64(const u8* p) {
    if (Align >= 8) return __ldg((const uint2*)p);
    return make_uint2(load_u32<Align>(p), load_u32<Align>(p + 4));
}

template <int Align>
__device__ __forceinline__ uint4 load_u128(const u8* p) {
    if (Align >= 16) return __ldg((const uint4*)p);
    const uint2 low = load_u64<Align>(p), high = load_u64<Align>(p + 8);
    return make_uint4(low.x, low.y, high.x, high.y);
}

// Four floats; `Align` is 4 or 16.
template <int Align>
__device__ __forceinline__ float4 load_float4(const float* p) {
    if (Align >= 16) return __ldg((const float4*)p);
    return make_float4(__ldg(p), __ldg(p + 1), __ldg(p + 2), __ldg(p + 3));
}

// Whether `p` is a multiple of `align` bytes.
__device__ __forceinline__ bool is_aligned(const void* p, u32 align) {
    return ((u64)p & (align - 1)) == 0;
}
