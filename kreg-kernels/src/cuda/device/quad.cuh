// Rows of floats in groups of four: one 16-byte access where the row allows it.
#pragma once
#include "device/types.cuh"

__device__ __forceinline__ bool aligned16(const void* p) { return (size_t)p % 16 == 0; }

// Elements e to e + 3 of a row of n, zeros past its end. `wide`: the row is 16-byte aligned and n a multiple of four.
__device__ __forceinline__ float4 load_quad(const float* row, u32 e, u32 n, bool wide) {
    if (wide) return *(const float4*)(row + e);
    return make_float4(row[e], e + 1 < n ? row[e + 1] : 0.f, e + 2 < n ? row[e + 2] : 0.f, e + 3 < n ? row[e + 3] : 0.f);
}

__device__ __forceinline__ void store_quad(float* row, u32 e, u32 n, bool wide, float4 v) {
    if (wide) {
        *(float4*)(row + e) = v;
        return;
    }
    row[e] = v.x;
    if (e + 1 < n) row[e + 1] = v.y;
    if (e + 2 < n) row[e + 2] = v.z;
    if (e + 3 < n) row[e + 3] = v.w;
}

__device__ __forceinline__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

__device__ __forceinline__ float4 scaled(float4 a, float s) { return make_float4(a.x * s, a.y * s, a.z * s, a.w * s); }

// a + s * b
__device__ __forceinline__ float4 plus(float4 a, float s, float4 b) {
    return make_float4(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w);
}
