// out = silu(gate) * up. One thread an element.
#include "device/each.cuh"

extern "C" __global__ void swiglu(const float* __restrict__ gate, const float* __restrict__ up, float* __restrict__ out,
                                  u32 n) {
    FOR_EACH(i, n) out[i] = gate[i] / (1.f + expf(-gate[i])) * up[i];
}
