// Root mean square normalisation of each head with one weight for all. One warp a head.
#include "device/each.cuh"
#include "device/reduce.cuh"

extern "C" __global__ void rmsnorm_per_head(const float* __restrict__ x, const float* __restrict__ w, float eps,
                                            float* __restrict__ y, u32 heads, u32 d) {
    const u32 lane = threadIdx.x % WARP;
    FOR_EACH_OF_WARP(head, heads) {
        const float* row = x + head * d;
        float sum = 0.f;
        for (u32 i = lane; i < d; i += WARP) sum += row[i] * row[i];
        const float factor = 1.f / sqrtf(warp_sum(sum) / d + eps);
        for (u32 i = lane; i < d; i += WARP) y[head * d + i] = row[i] * factor * w[i];
    }
}
