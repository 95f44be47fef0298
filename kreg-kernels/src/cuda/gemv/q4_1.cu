// Q4_1, 20 bytes: f16 d, f16 m, 32 nibbles. `d q + m`.
#include "device/half.cuh"
#include "device/nibbles.cuh"

struct Q4_1 : Nibbles<20, 4> {
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const NoTable&, float* w) {
        const u32 head = load_u32<4>(block);
        codes(block + 4, part, 0, 0.0f, w);
        scale_and_add(f16_to_f32((u16)head), f16_to_f32((u16)(head >> 16)), w);
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_q4_1(const u8* __restrict__ w, const float* __restrict__ x,
                                               float* __restrict__ y, u32 rows, u32 cols) {
    gemv<Q4_1>(w, x, y, rows, cols);
}
