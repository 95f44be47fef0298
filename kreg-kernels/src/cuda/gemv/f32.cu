// F32: the value.
#include "device/number.cuh"

struct F32 {
    static constexpr u32 SIZE = 4;
    template <int Align>
    static __device__ __forceinline__ void eight(const u8* p, float* w) {
        const float* v = (const float*)p;
        const float4 a = load_float4<Align>(v), b = load_float4<Align>(v + 4);
        w[0] = a.x, w[1] = a.y, w[2] = a.z, w[3] = a.w;
        w[4] = b.x, w[5] = b.y, w[6] = b.z, w[7] = b.w;
    }
    static __device__ __forceinline__ float one(const u8* p) { return __ldg((const float*)p); }
};

extern "C" __global__ void GEMV_BOUNDS gemv_f32(const u8* __restrict__ w, const float* __restrict__ x,
                                                float* __restrict__ y, u32 rows, u32 cols) {
    if (cols % 4 == 0) {
        gemv<Numbers<F32, 16>>(w, x, y, rows, cols);
    } else {
        gemv<Numbers<F32, 4>>(w, x, y, rows, cols);
    }
}
