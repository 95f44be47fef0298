// Codebooks, unpacked into shared memory when a block starts: lanes look up entries that have nothing to do with each
// other, which constant memory would serve one by one.
#pragma once
#include "device/decode.cuh"
#include "device/reduce.cuh"
#include "device/types.cuh"

// Four 2-bit indices of a byte, or four 3-bit indices of 12 bits, as the magnitudes that they choose.
__device__ __forceinline__ u32 two_bit_magnitudes(u32 indices) {
    const u32 pairs = (indices | indices << 4) & 0x0f0fu;
    return __byte_perm(0x002b1908u, 0, (pairs | pairs << 2) & 0x3333u);
}
__device__ __forceinline__ u32 three_bit_magnitudes(u32 indices, u32 low, u32 high) {
    const u32 nibbles = (indices & 7) | (indices << 1 & 0x70) | (indices << 2 & 0x700) | (indices << 3 & 0x7000);
    return __byte_perm(low, high, nibbles);
}

// Entries of eight magnitudes.
template <u32 Count>
struct Eights {
    uint2 entry[Count];
};
template <u32 Count>
__device__ __forceinline__ void unpack(const u16* packed, Eights<Count>& table) {
    for (u32 i = thread_in_block(); i < Count; i += blockDim.x * blockDim.y) {
        const u32 indices = packed[i];
        table.entry[i] = make_uint2(two_bit_magnitudes(indices & 255), two_bit_magnitudes(indices >> 8));
    }
    __syncthreads();
}

// Entries of four magnitudes out of the eight in `low` and `high`.
template <u32 Count>
struct Fours {
    u32 entry[Count];
};
template <u32 Count>
__device__ __forceinline__ void unpack(const u16* packed, u32 low, u32 high, Fours<Count>& table) {
    for (u32 i = thread_in_block(); i < Count; i += blockDim.x * blockDim.y) {
        table.entry[i] = three_bit_magnitudes(packed[i], low, high);
    }
    __syncthreads();
}

// Eight magnitudes with their signs, times d.
__device__ __forceinline__ void signed_weights(u32 first, u32 second, u32 signs, float d, float* w) {
    spread(first, 0.0f, w);
    spread(second, 0.0f, w + 4);
#pragma unroll
    for (u32 i = 0; i < 8; i++) w[i] = signed_by(w[i] * d, signs, i);
}
