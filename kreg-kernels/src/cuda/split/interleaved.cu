// Separates [heads][query, gate][d] into query [heads][d] and gate [heads][d]: a copy of bits. One thread a pair.
#include "device/each.cuh"

extern "C" __global__ void split_interleaved(const float* __restrict__ x, float* __restrict__ query,
                                             float* __restrict__ gate, u32 d, u32 n) {
    FOR_EACH(i, n) {
        const size_t from = i / d * 2 * d + i % d;
        query[i] = x[from];
        gate[i] = x[from + d];
    }
}
