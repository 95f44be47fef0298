// Euclidean normalisation of each head in place: x / sqrt(sum(x^2) + eps). One warp a head.
#include "device/each.cuh"
#include "device/reduce.cuh"

extern "C" __global__ void l2norm_per_head(float* __restrict__ x, float eps, u32 heads, u32 d) {
    const u32 lane = threadIdx.x % WARP;
    FOR_EACH_OF_WARP(head, heads) {
        float* row = x + head * d;
        float sum = 0.f;
        for (u32 i = lane; i < d; i += WARP) sum += row[i] * row[i];
        const float factor = 1.f / sqrtf(warp_sum(sum) + eps);
        for (u32 i = lane; i < d; i += WARP) row[i] *= factor;
    }
}
