// Root mean square normalisation of one vector: y = x / sqrt(mean(x^2) + eps) * w. One block.
#include "device/reduce.cuh"

extern "C" __global__ void __launch_bounds__(1024)
    rmsnorm(const float* __restrict__ x, const float* __restrict__ w, float eps, float* __restrict__ y, u32 n) {
    __shared__ float partial[WARP];
    float sum = 0.f;
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) sum += x[i] * x[i];
    const float factor = 1.f / sqrtf(block_sum(sum, partial) / n + eps);
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] * factor * w[i];
}
