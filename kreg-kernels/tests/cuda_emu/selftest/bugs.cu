// Kernels with one fault each, and two without: what the emulator must and must not report. All take x[256], y[256].
#include "device/reduce.cuh"
#include "device/shared.cuh"

extern "C" __global__ void global_overrun(const float* x, float* y) {
    y[threadIdx.x + 1] = x[threadIdx.x];
}

extern "C" __global__ void shared_overrun(const float* x, float* y) {
    __shared__ float p[32];
    const int at = threadIdx.x % 33;
    p[at] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = p[0];
}

extern "C" __global__ void dynamic_overrun(const float* x, float* y) {
    DYN_SHARED(float, p);
    p[threadIdx.x + 1] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = p[threadIdx.x];
}

extern "C" __global__ void misaligned(const float* x, float* y) {
    const float4 v = *reinterpret_cast<const float4*>(x + 1);
    y[threadIdx.x] = v.x;
}

extern "C" __global__ void missing_syncthreads(const float* x, float* y) {
    __shared__ float p[8];
    const float sum = warp_sum(x[threadIdx.x]);
    if (threadIdx.x % WARP == 0) p[threadIdx.x / WARP] = sum;
    y[threadIdx.x] = p[0] + p[7];
}

extern "C" __global__ void missing_syncwarp(const float* x, float* y) {
    __shared__ float p[256];
    p[threadIdx.x] = x[threadIdx.x];
    y[threadIdx.x] = p[threadIdx.x ^ 1];
}

extern "C" __global__ void divergent_barrier(const float* x, float* y) {
    if (threadIdx.x < 16) __syncthreads();
    y[threadIdx.x] = x[threadIdx.x];
}

extern "C" __global__ void exited_at_barrier(const float* x, float* y) {
    if (threadIdx.x >= 40) return;
    y[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] += 1.0f;
}

extern "C" __global__ void divergent_shuffle(const float* x, float* y) {
    float v = x[threadIdx.x];
    if (threadIdx.x % WARP < 16) v += __shfl_xor_sync(ALL_LANES, v, 1);
    y[threadIdx.x] = v;
}

extern "C" __global__ void source_outside_mask(const float* x, float* y) {
    float v = x[threadIdx.x];
    if (threadIdx.x % WARP < 16) v += __shfl_xor_sync(0xffffu, v, 16);
    y[threadIdx.x] = v;
}

extern "C" __global__ void all_write_one_word(const float* x, float* y) {
    y[0] = x[threadIdx.x];
}

extern "C" __global__ void unwritten_shared(const float* x, float* y) {
    __shared__ float p[256];
    if (threadIdx.x > 0) p[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = p[threadIdx.x];
}

extern "C" __global__ void right(const float* x, float* y) {
    __shared__ float p[256];
    __shared__ float partial[32];
    p[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    const float sum = block_sum(p[threadIdx.x ^ 33], partial), most = block_max(p[threadIdx.x], partial);
    y[threadIdx.x] = sum + most;
}

extern "C" __global__ void right_in_a_warp(const float* x, float* y) {
    __shared__ float p[256];
    p[threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    y[threadIdx.x] = p[threadIdx.x ^ 1];
}
