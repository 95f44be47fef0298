// x = x * sigmoid(gate) in place. One thread an element.
#include "device/each.cuh"

extern "C" __global__ void sigmoid_gate(float* __restrict__ x, const float* __restrict__ gate, u32 n) {
    FOR_EACH(i, n) x[i] = x[i] / (1.f + expf(-gate[i]));
}
