// Weights that are plain numbers: rows are cols numbers long, of any count.
#pragma once
#include "device/gemv.cuh"

// `Number::SIZE` bytes each; `Number::eight(p, w)` reads eight from an address that is a multiple of `Align`.
template <class Number, int Align>
struct Numbers {
    static constexpr u32 ELEMS = UNIT, BYTES = UNIT * Number::SIZE, SECOND = 4;
    static constexpr bool TAIL = true;
    using Table = NoTable;
    static __device__ __forceinline__ u64 row_bytes(u32 cols) { return (u64)cols * Number::SIZE; }
    static __device__ __forceinline__ void fill(NoTable&) {}
    static __device__ __forceinline__ u32 first(u32) { return 0; }
    static __device__ __forceinline__ void decode(const u8* block, u32, const NoTable&, float* w) {
        Number::template eight<Align>(block, w);
    }
    static __device__ __forceinline__ float one(const u8* row, u32 c) {
        return Number::one(row + (u64)c * Number::SIZE);
    }
};

// Sixteen-bit numbers that `Convert` turns into floats.
template <float (*Convert)(u16)>
struct Sixteen {
    static constexpr u32 SIZE = 2;
    template <int Align>
    static __device__ __forceinline__ void eight(const u8* p, float* w) {
        const uint4 v = load_u128<Align>(p);
        const u32 pairs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            w[2 * i] = Convert((u16)pairs[i]);
            w[2 * i + 1] = Convert((u16)(pairs[i] >> 16));
        }
    }
    static __device__ __forceinline__ float one(const u8* p) { return Convert((u16)load_u16(p)); }
};
