// One step of a causal depthwise convolution with SiLU. state [channels][taps - 1] holds the raw inputs before this one,
// oldest first; weight [channels][taps]. One thread a channel.
#include "device/each.cuh"

extern "C" __global__ void conv1d_silu(const float* __restrict__ x, float* __restrict__ state,
                                       const float* __restrict__ weight, float* __restrict__ out, u32 channels,
                                       u32 taps, const u32* fault) {
    if (*fault != 0) return;
    FOR_EACH(c, channels) {
        float* past = state + c * (taps - 1);
        const float* w = weight + c * taps;
        float sum = 0.f;
        for (u32 t = 0; t + 1 < taps; t++) {
            sum += past[t] * w[t];
            if (t > 0) past[t - 1] = past[t];
        }
        sum += x[c] * w[taps - 1];
        past[taps - 2] = x[c];
        out[c] = sum / (1.f + expf(-sum));
    }
}
