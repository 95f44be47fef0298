// Decay and write gates of the gated delta net: g = softplus(alpha + dt_bias) * a, beta = sigmoid(beta_raw). One thread a
// value head.
#include "device/each.cuh"

extern "C" __global__ void gdn_gates(const float* __restrict__ alpha, const float* __restrict__ dt_bias,
                                     const float* __restrict__ a, const float* __restrict__ beta_raw,
                                     float* __restrict__ g, float* __restrict__ beta, u32 heads) {
    FOR_EACH(h, heads) {
        const float x = alpha[h] + dt_bias[h];
        // Above 20 the logarithm differs from x by less than half a step of f32.
        g[h] = (x > 20.f ? x : log1pf(expf(x))) * a[h];
        beta[h] = 1.f / (1.f + expf(-beta_raw[h]));
    }
}
