// Root mean square normalisation of each head, times silu of a gate that is not normalised. One warp a head.
#include "device/each.cuh"
#include "device/reduce.cuh"

extern "C" __global__ void rmsnorm_gated(const float* __restrict__ x, const float* __restrict__ z,
                                         const float* __restrict__ w, float eps, float* __restrict__ y, u32 heads,
                                         u32 d) {
    const u32 lane = threadIdx.x % WARP;
    FOR_EACH_OF_WARP(head, heads) {
        const float* row = x + head * d;
        float sum = 0.f;
        for (u32 i = lane; i < d; i += WARP) sum += row[i] * row[i];
        const float factor = 1.f / sqrtf(warp_sum(sum) / d + eps);
        for (u32 i = lane; i < d; i += WARP) {
            const float gate = z[head * d + i];
            y[head * d + i] = row[i] * factor * w[i] * (gate / (1.f + expf(-gate)));
        }
    }
}
