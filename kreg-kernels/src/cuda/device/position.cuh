// An index that a kernel takes by value or, when a step is captured in a graph, from device memory; and the fault word
// that it sets when the index is out of range. While a fault stands, no kernel changes a cache or a state.
#pragma once
#include "device/types.cuh"

// The same bits as in ../fault.rs.
constexpr u32 FAULT_POSITION = 1;
constexpr u32 FAULT_TOKEN = 2;

// `*at` if there is one, `value` otherwise.
__device__ __forceinline__ u32 index_of(u32 value, const u32* at) { return at ? *at : value; }

// Whether `index` is below `limit`. If not, `fault` says so, and the caller returns.
__device__ __forceinline__ bool admit(u32 index, u32 limit, u32 bit, u32* fault) {
    if (index < limit) return true;
    if (threadIdx.x == 0) atomicOr(fault, bit);
    return false;
}
